// SPDX-License-Identifier: Apache-2.0
// How long a track was busy up to marks along its time, so that the busy time of any range needs a
// look only at the spans near its ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace telltale {

struct BusyMark {
  int64_t time_ns = 0;
  int64_t busy_ns = 0;  // covered by any span before that time
  int64_t end_ns = 0;   // the latest end of spans that start before it (or at it)
};

// Spans come in order of their starts.
class BusyMarks {
 public:
  static constexpr size_t kSpansPerMark = 4096;

  void Add(int64_t start_ns, int64_t end_ns) {
    if (count_ == 0) end_ns_ = start_ns;
    if (count_++ % kSpansPerMark == 0) {
      marks_.push_back({start_ns, busy_ns_ - std::max<int64_t>(0, end_ns_ - start_ns), end_ns_});
    }
    if (end_ns > end_ns_) {
      busy_ns_ += end_ns - std::max(start_ns, end_ns_);
      end_ns_ = end_ns;
    }
  }

  [[nodiscard]] std::vector<BusyMark> Take() { return std::move(marks_); }

 private:
  std::vector<BusyMark> marks_;
  size_t count_ = 0;
  int64_t busy_ns_ = 0;
  int64_t end_ns_ = 0;
};

}  // namespace telltale
