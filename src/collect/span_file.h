// SPDX-License-Identifier: Apache-2.0
// The spans, instants, counters and steps of one recording process as a Perfetto trace
// (formats/perfetto/FORMAT.md), which is a row of packets: it grows at its end, and a cut tail
// costs the last packet alone. Packets are collected and appended at once; the caller notes the
// length that is safe and the spans that are open there, and whoever goes on begins with those. A
// span takes about 25 bytes: a thread is a packet sequence with names of its own numbers and times
// that count from the packet before. Beyond a size no span is begun any more; those left out are
// counted, and the count stands in the file with that of the spans that the process dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "collect/region_record.h"
#include "collect/span_file_state.h"
#include "collect/span_packets.h"
#include "io/file_gate.h"

namespace telltale {

class SpanFile {
 public:
  // `folder`: the run's profiler/. Nothing is made before the first span, instant or counter.
  SpanFile(std::string folder, const RegionHeaderInfo& process, SpanFileState state,
           uint64_t limit_bytes);

  // Spans, instants, counters and ends of steps; others are none of its business.
  using ThreadNames = std::map<uint64_t, std::string>;  // by the system's number
  void Take(const RegionRecord& record, const ThreadNames& thread_names);
  // How many the process dropped so far.
  void SetDropped(uint64_t dropped) { dropped_ = dropped; }
  // The process is gone: what is still open ends with its last record.
  void CloseOpenSpans();

  [[nodiscard]] bool has_pending() const { return !pending_.bytes().empty(); }
  [[nodiscard]] size_t pending_bytes() const { return pending_.size(); }
  // There is something to write, and no file yet: see Claim.
  [[nodiscard]] bool NeedsName() const { return state_.name.empty() && has_pending(); }
  // Takes a name that nobody has, and makes the empty file. `rank`: -1 unknown.
  [[nodiscard]] Result<void> Claim(int64_t rank, bool is_worker);
  // Appends what was collected.
  [[nodiscard]] Result<void> Append();

  // What was collected cannot be written: it is counted as left out, and writing goes on with what
  // comes next.
  void Forget();

  // With what was appended.
  [[nodiscard]] SpanFileState State() const;
  [[nodiscard]] uint64_t left_out() const { return state_.left_out; }

 private:
  struct Thread {
    SpanPackets::Thread id;
    uint64_t sequence = 0;  // 0: not in the file yet, since this began to write
    bool has_steps = false;
    uint64_t open = 0;
    uint64_t skipped = 0;
    int64_t last_ns = 0;
    int64_t last_step_ns = 0;     // end of the last step
    int64_t shift_ns = 0;         // so that time never goes back
    std::vector<uint32_t> names;  // by number of the region: number of the sequence; 0: none yet
    uint32_t next_name = 1;
  };
  using ThreadKey = std::pair<uint64_t, uint64_t>;

  Thread& ThreadOf(const RegionRecord& record);
  // The thread's packets can follow.
  void Ensure(Thread& thread, const ThreadNames& thread_names);
  void ForgetIdleThreads();
  void BeginSequence(Thread& thread, std::string_view name);
  void DescribeSteps(Thread& thread);
  uint32_t NameOf(Thread& thread, const RegionRecord& record);
  int64_t TimeOf(Thread& thread, int64_t wall_ns) const;
  void Counter(Thread& thread, const RegionRecord& record);
  void Step(Thread& thread, const RegionRecord& record);
  void Event(Thread& thread, int64_t time_ns, uint64_t type, uint32_t name);
  void WriteDropped();
  void NoteTime(int64_t time_ns) {
    state_.last_ns = std::max(state_.last_ns, static_cast<uint64_t>(time_ns));
  }
  [[nodiscard]] bool IsFull() const { return state_.length + pending_.size() >= limit_bytes_; }

  std::string folder_;
  RegionHeaderInfo process_;
  uint64_t limit_bytes_;
  SpanFileState state_;
  FileDescriptor file_;
  SpanPackets pending_;
  std::map<ThreadKey, Thread> threads_;
  ThreadKey last_key_;
  Thread* last_thread_ = nullptr;
  uint64_t next_sequence_ = 1;
  std::set<uint32_t> counters_;      // names that have a track
  uint64_t begun_since_append_ = 0;  // spans, instants and counters
  bool has_head_ = false;
  bool steps_have_track_ = false;
  uint64_t dropped_ = 0;
  uint64_t dropped_written_ = 0;
  uint64_t left_out_written_ = 0;
};

}  // namespace telltale
