// SPDX-License-Identifier: Apache-2.0
// The packets of a file of spans (span_file.h), collected until they are written. What a packet
// looks like is here, which one is written when is not. A thread is a packet sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/protobuf.h"
#include "collect/region_record.h"

namespace telltale {

class SpanPackets {
 public:
  struct Thread {
    uint64_t number = 0;  // the system's
    uint64_t serial = 0;
  };

  explicit SpanPackets(uint64_t pid) : pid_(pid) {}

  // The process, and where its time begins.
  void Head(uint64_t sequence, const RegionHeaderInfo& process);
  // From here on the sequence's names are numbered anew, and its times count from `now_ns`.
  void BeginSequence(uint64_t sequence, Thread thread, std::string_view name, int64_t now_ns);
  void Name(uint64_t sequence, uint32_t number, std::string_view text);
  // `delta_ns`: since the sequence's event before. `name`: 0 is none.
  void Event(uint64_t sequence, int64_t delta_ns, uint64_t type, uint32_t name);

  // Each counter is a track of its own, whichever thread counts.
  void DescribeCounter(std::string_view name);
  void Counter(uint64_t sequence, int64_t delta_ns, std::string_view name, double value);

  // The steps of a thread have a track of their own. Times since the beginning of the process.
  void DescribeSteps(Thread thread, std::string_view title);
  void Step(uint64_t sequence, Thread thread, int64_t step, int64_t begin_ns, int64_t end_ns);

  // Totals; the last ones count. `sequence` is used for nothing else.
  void Dropped(uint64_t sequence, uint64_t now_ns, uint64_t dropped, uint64_t left_out);

  [[nodiscard]] std::string_view bytes() const { return out_.bytes(); }
  [[nodiscard]] size_t size() const { return out_.size(); }
  void Clear() { out_.Clear(); }

 private:
  void StepEvent(uint64_t sequence, uint64_t uuid, int64_t time_ns, uint64_t type,
                 std::string_view name);

  uint64_t pid_;
  protobuf::MessageWriter out_;
};

}  // namespace telltale
