// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/clock_window.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace telltale {

namespace {

constexpr int64_t kDayNs = int64_t{86'400'000'000'000};
// So many of a thousand spans may be astray; with more of them the capture really is that long.
constexpr uint64_t kAstrayPerThousand = 50;
constexpr size_t kSamples = 4096;

struct Range {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();
  void Add(int64_t start, int64_t end) {
    first = std::min(first, start);
    last = std::max(last, end);
  }
  [[nodiscard]] bool empty() const { return first > last; }
  [[nodiscard]] uint64_t length() const {
    return static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
  }
};

// Calls `each(start, end)` with the times on the common clock.
template <typename Each>
void ForEachSpan(std::span<const TraceContext> contexts, const Alignment& alignment, size_t every,
                 Each each) {
  for (size_t file = 0; file < contexts.size(); ++file) {
    const Trace& trace = contexts[file].trace;
    const SpanTable& spans = trace.spans;
    const auto shift = static_cast<uint64_t>(alignment.CommonTime(trace, file, 0));
    for (size_t row = 0; row < spans.size(); row += every) {
      const auto start = static_cast<int64_t>(static_cast<uint64_t>(spans.start_ns[row]) + shift);
      const auto end = static_cast<int64_t>(static_cast<uint64_t>(spans.end_ns(row)) + shift);
      each(start, std::max(start, end));
    }
  }
}

}  // namespace

ClockWindow FindClockWindow(std::span<const TraceContext> contexts, const Alignment& alignment) {
  Range all;
  uint64_t count = 0;
  ForEachSpan(contexts, alignment, 1, [&](int64_t start, int64_t end) {
    all.Add(start, end);
    ++count;
  });
  // A file without spans may have memory or counters.
  if (all.empty()) {
    for (size_t file = 0; file < contexts.size(); ++file) {
      const Trace& trace = contexts[file].trace;
      for (const int64_t time : trace.memory.time_ns) {
        all.Add(alignment.CommonTime(trace, file, time), alignment.CommonTime(trace, file, time));
      }
      for (const int64_t time : trace.counters.time_ns) {
        all.Add(alignment.CommonTime(trace, file, time), alignment.CommonTime(trace, file, time));
      }
    }
  }
  if (all.empty()) return {};
  if (all.length() <= static_cast<uint64_t>(kDayNs)) return {all.first, all.last, 0};

  std::vector<int64_t> starts;
  ForEachSpan(contexts, alignment, std::max<size_t>(1, count / kSamples),
              [&](int64_t start, int64_t) { starts.push_back(start); });
  if (starts.empty()) return {all.first, all.last, 0};
  const auto middle = starts.begin() + static_cast<ptrdiff_t>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  Range near;
  uint64_t astray = 0;
  ForEachSpan(contexts, alignment, 1, [&](int64_t start, int64_t end) {
    const auto before = static_cast<uint64_t>(*middle) - static_cast<uint64_t>(start);
    const uint64_t distance = start <= *middle ? before : uint64_t{0} - before;
    const bool long_span =
        static_cast<uint64_t>(end) - static_cast<uint64_t>(start) > static_cast<uint64_t>(kDayNs);
    if (distance > static_cast<uint64_t>(kDayNs) / 2 || long_span) {
      ++astray;
    } else {
      near.Add(start, end);
    }
  });
  if (near.empty() || astray * 1000 > count * kAstrayPerThousand) return {all.first, all.last, 0};
  return {near.first, near.last, astray};
}

}  // namespace telltale
