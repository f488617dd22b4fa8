// SPDX-License-Identifier: Apache-2.0
// A run's folder in the hands of the one process that writes it: the record, what the processes
// tell of themselves, and what they record. Shared by the collector of `telltale run`, that of a
// program which started recording by itself, and whoever brings in what a killed one left.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collect/files.h"
#include "collect/region_intake.h"
#include "collect/run_facts.h"
#include "collect/run_folder.h"
#include "collect/run_record.h"
#include "io/file_gate.h"

namespace telltale {

// The right to write a run's folder, until it is destroyed or its process ends.
class RunLock {
 public:
  // `waits`: for whoever has it. nullopt: somebody else has it, or there is no .live.
  [[nodiscard]] static std::optional<RunLock> Take(const RunFolder& folder, bool waits);

 private:
  explicit RunLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

class RunKeeper {
 public:
  RunKeeper(RunFolder folder, RunRecord record, Trouble& trouble);

  [[nodiscard]] RunRecord& record() { return record_; }
  [[nodiscard]] const RunRecord& record() const { return record_; }
  [[nodiscard]] RegionIntake& intake() { return *intake_; }
  [[nodiscard]] const RunFolder& folder() const { return folder_; }

  // Brings in what was recorded since. How many records.
  uint64_t Drain();
  // run.json, and args.txt; false: it failed, and was told. `sync`: the program has ended, and its
  // spans are summed up.
  bool Write(bool sync);
  // Ranks as the processes that are known say it. `is_over`: none of them will say more.
  void UpdateRanks(bool is_over);
  // Of a program whose end nobody saw: by what its processes said.
  void JudgeEnd();
  // Removes .live unless something in it is still needed.
  void RemoveLive();

 private:
  RunFolder folder_;
  Trouble& trouble_;
  RunRecord record_;
  RunFacts facts_;
  std::unique_ptr<RegionIntake> intake_;
  std::string args_;  // as written last
  std::optional<int64_t> steps_before_;
};

[[nodiscard]] Result<RunRecord> ReadRunRecord(const RunFolder& folder);

}  // namespace telltale
