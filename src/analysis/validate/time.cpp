// SPDX-License-Identifier: Apache-2.0
// Checks of times, durations and memory totals.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/core/sums.h"
#include "analysis/core/words.h"
#include "analysis/validate/checks.h"

namespace telltale::validation {

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
// CUPTI has written such durations where its counter ran over; no profile is that long.
constexpr int64_t kAbsurdDurationNs = 7 * 24 * 3600 * kSecondNs;
// No event at all for so long, between events before and after, is no pause of a training program.
constexpr int64_t kClockJumpNs = 3600 * kSecondNs;

struct Window {
  int64_t start_ns = INT64_MAX;
  int64_t end_ns = INT64_MIN;
  [[nodiscard]] bool known() const { return start_ns <= end_ns; }
};

// From the "Trace" spans to the later of their ends and the "Record Window End" instants.
Window RecordedWindow(const Trace& trace) {
  Window window;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    if (trace.spans.category[row] != Category::kTraceSpan) continue;
    window.start_ns = std::min(window.start_ns, trace.spans.start_ns[row]);
    window.end_ns = std::max(window.end_ns, trace.spans.end_ns(row));
  }
  if (!window.known()) return window;
  const StringId end_name = trace.strings.Find("Record Window End");
  for (size_t i = 0; end_name != kNoString && i < trace.instants.size(); ++i) {
    if (trace.instants.name[i] == end_name)
      window.end_ns = std::max(window.end_ns, trace.instants.time_ns[i]);
  }
  return window;
}

bool IsTimed(Category category) {
  return IsHost(category) || IsDevice(category) || category == Category::kPython;
}

std::vector<std::pair<int64_t, SpanRow>> SortedStarts(const Trace& trace) {
  std::vector<std::pair<int64_t, SpanRow>> starts;
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    if (!IsTimed(trace.spans.category[row])) continue;
    first = std::min(first, trace.spans.start_ns[row]);
    last = std::max(last, trace.spans.start_ns[row]);
  }
  // The usual case, without the cost of sorting. The difference of far apart times may wrap to
  // below zero.
  const bool short_trace =
      first <= last && Difference(last, first) >= 0 && Difference(last, first) < kClockJumpNs;
  if (first > last || short_trace) return starts;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    if (IsTimed(trace.spans.category[row])) {
      starts.emplace_back(trace.spans.start_ns[row], static_cast<SpanRow>(row));
    }
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

struct MemoryOrder {
  const MemoryTable& memory;
  bool operator()(uint32_t a, uint32_t b) const {
    return std::tie(memory.device_type[a], memory.device_id[a], memory.time_ns[a], a) <
           std::tie(memory.device_type[b], memory.device_id[b], memory.time_ns[b], b);
  }
  [[nodiscard]] bool SameDevice(uint32_t a, uint32_t b) const {
    return memory.device_type[a] == memory.device_type[b] &&
           memory.device_id[a] == memory.device_id[b];
  }
};

Tally FindTotalsThatJump(const MemoryTable& memory) {
  std::vector<uint32_t> rows;
  for (size_t i = 0; i < memory.size(); ++i) {
    if (memory.total_allocated[i] != kNoInt && memory.bytes[i] != kNoInt)
      rows.push_back(static_cast<uint32_t>(i));
  }
  const MemoryOrder order{memory};
  std::sort(rows.begin(), rows.end(), order);
  Tally jumps;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (!order.SameDevice(rows[i], rows[i - 1])) continue;
    const int64_t change =
        Difference(memory.total_allocated[rows[i]], memory.total_allocated[rows[i - 1]]);
    if (change != memory.bytes[rows[i]]) jumps.Add(memory.offset[rows[i]]);
  }
  return jumps;
}

}  // namespace

void CheckWindow(const Input& input, std::vector<Finding>& findings) {
  const SpanTable& spans = input.trace.spans;
  const Window window = RecordedWindow(input.trace);
  if (!window.known()) return;
  Tally outside;
  for (size_t row = 0; row < spans.size(); ++row) {
    if (!IsTimed(spans.category[row])) continue;
    if (spans.end_ns(row) < window.start_ns || spans.start_ns[row] > window.end_ns)
      outside.Add(spans.offset[row]);
  }
  AddFinding(findings, Severity::kInfo, "outside_window", outside,
             "events lie outside the window that the profiler says it recorded; they count all the "
             "same, so a trace "
             "without steps seems longer than the window");
}

void CheckDurations(const Input& input, std::vector<Finding>& findings) {
  const SpanTable& spans = input.trace.spans;
  Tally absurd;
  Tally zero_on_device;
  Tally zero;
  uint64_t timed = 0;
  uint64_t on_device = 0;
  int64_t longest = 0;
  for (size_t row = 0; row < spans.size(); ++row) {
    if (spans.duration_ns[row] > kAbsurdDurationNs && spans.category[row] != Category::kUnmatched) {
      absurd.Add(spans.offset[row]);
      longest = std::max(longest, spans.duration_ns[row]);
    }
    if (!IsTimed(spans.category[row])) continue;
    const bool device = IsDevice(spans.category[row]);
    ++timed;
    on_device += device ? 1 : 0;
    if (spans.duration_ns[row] != 0) continue;
    zero.Add(spans.offset[row]);
    if (device) zero_on_device.Add(spans.offset[row]);
  }
  AddFinding(
      findings, Severity::kError, "absurd_duration", absurd,
      fmt::format(
          "durations above 7 days, up to {:.0f} days: a counter ran over. Every total, step and "
          "utilisation that includes such an event is wrong",
          static_cast<double>(longest) / (24.0 * 3600e9)));
  // A clock too coarse for the shortest events leaves those without a length, never most of them.
  const bool most = zero.count * 2 > timed;
  if (most || zero_on_device.count * 2 > on_device) {
    return AddFinding(
        findings, Severity::kLoss, "zero_duration", most ? zero : zero_on_device,
        fmt::format("{} of {} {} last 0: their durations were not measured, or are lost. They "
                    "count as calls, and totals, shares and steps lack their time",
                    most ? zero.count : zero_on_device.count, most ? timed : on_device,
                    most ? "events" : "device events"));
  }
  AddFinding(findings, Severity::kInfo, "zero_duration", zero_on_device,
             "device events last 0: shorter than the resolution of this trace's clock. They count "
             "as calls, and their "
             "time is missing from the totals");
}

void CheckClock(const Input& input, std::vector<Finding>& findings) {
  const std::vector<std::pair<int64_t, SpanRow>> starts = SortedStarts(input.trace);
  Tally jumps;
  for (size_t i = 1; i < starts.size(); ++i) {
    const int64_t hole = Difference(starts[i].first, starts[i - 1].first);
    if (hole < 0 || hole > kClockJumpNs) jumps.Add(input.trace.spans.offset[starts[i].second]);
  }
  AddFinding(findings, Severity::kError, "clock_jump", jumps,
             "more than an hour passes without any event: the clock jumped, or times of different "
             "clocks are mixed. "
             "Steps, idle times and the length of the trace are wrong across the jump");
}

void CheckMemory(const Input& input, std::vector<Finding>& findings) {
  const MemoryTable& memory = input.trace.memory;
  Tally negative;
  for (size_t i = 0; i < memory.size(); ++i) {
    const bool below = memory.total_allocated[i] != kNoInt && memory.total_allocated[i] < 0;
    if (below) negative.Add(memory.offset[i]);
  }
  AddFinding(findings, Severity::kError, "memory_total_negative", negative,
             "Total Allocated falls below 0: frees without their allocations were counted. The "
             "memory curve and its "
             "peak are wrong");
  AddFinding(findings, Severity::kInfo, "memory_total_jump", FindTotalsThatJump(memory),
             "Total Allocated changes by more or less than the event's own bytes: allocations of "
             "threads that were not "
             "recorded. The curve and peak are right; sums per operator lack those bytes");
}

}  // namespace telltale::validation
