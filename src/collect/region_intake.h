// SPDX-License-Identifier: Apache-2.0
// Brings what the processes of a run have recorded in their regions (.live/PID-START.ring) into the
// run's files: each exactly once, whoever is killed in between. For each region a file of the same
// name, .taken, has the lengths of its event file and of its file of spans, and the place in the
// region up to which they reach. A round is: append events and spans, write run.json and args.txt,
// replace .taken, release the region's room. Whoever goes on cuts the files to the lengths that are
// noted and reads from the place that is noted. The caller holds the lock of .live. One thread at a
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "collect/event_file.h"
#include "collect/files.h"
#include "collect/region_reader.h"
#include "collect/run_facts.h"
#include "collect/run_folder.h"
#include "collect/span_file.h"

namespace telltale {

class RegionIntake {
 public:
  // `write_facts`: run.json and args.txt, as `facts` are now; false: it failed, and what the notes
  // say is asked for again.
  RegionIntake(RunFolder folder, std::string host, RunFacts& facts, Trouble& trouble,
               std::function<bool()> write_facts);
  ~RegionIntake();

  // All that is there now. How many records.
  uint64_t Drain();
  // Regions of processes that are gone and wholly brought in are removed.
  void RemoveFinished();

  // Of all that were seen, in the order in which they began to record.
  [[nodiscard]] std::vector<ProcessFacts> processes() const;
  // A process that records is alive.
  [[nodiscard]] bool is_anyone_alive() const;
  // Regions that are still there.
  [[nodiscard]] size_t open_regions() const { return regions_.size(); }
  [[nodiscard]] bool has_regions() const { return !regions_.empty() || !finished_.empty(); }
  // Of the rank that counts: rank 0, or the one that has most.
  [[nodiscard]] uint64_t steps() const;
  [[nodiscard]] uint64_t dropped_spans() const;
  // Spans, instants and counters that are in no file: beyond its size, or it could not be written.
  [[nodiscard]] uint64_t left_out_spans() const;
  [[nodiscard]] uint64_t events() const { return events_; }

 private:
  struct Region;
  void Look();
  bool Open(Region& region);
  uint64_t DrainRegion(Region& region);
  void Take(Region& region, const RegionRecord& record);
  void TakeStep(Region& region, const RegionRecord& record);
  [[nodiscard]] bool NoteTaken(Region& region) const;
  [[nodiscard]] bool WriteTaken(const Region& region, std::string_view facts,
                                const RegionPosition& position) const;
  void AppendSpans(Region& region);
  bool TakeCalls(Region& region);
  void Undo(Region& region, const std::string& problem);
  int64_t StepOf(Region& region, const RegionRecord& record);

  RunFolder folder_;
  std::string host_;
  RunFacts& facts_;
  Trouble& trouble_;
  std::function<bool()> write_facts_;
  std::map<std::string, std::unique_ptr<Region>> regions_;  // by name without .ring
  std::vector<ProcessFacts> finished_;
  uint64_t dropped_before_ = 0;  // in regions that are gone
  uint64_t left_out_before_ = 0;
  uint64_t events_ = 0;
  bool steps_have_owner_ = false;
};

}  // namespace telltale
