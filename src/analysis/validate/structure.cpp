// SPDX-License-Identifier: Apache-2.0
// Checks of what belongs together: events of one stream, steps, duplicates, ranges without an end.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/core/name_facts.h"
#include "analysis/core/options.h"
#include "analysis/core/sort_runs.h"
#include "analysis/core/steps.h"
#include "analysis/core/sums.h"
#include "analysis/validate/checks.h"
#include "analysis/work/report.h"

namespace telltale::validation {

namespace {

struct StreamEvent {
  int64_t device;
  int64_t stream;
  int64_t start_ns;
  SpanRow row;
};

std::vector<StreamEvent> EventsByStream(const Input& input) {
  std::vector<StreamEvent> events;
  for (SpanRow row : input.links.device) {
    const DeviceDetail* detail = input.trace.DeviceOf(row);
    if (detail == nullptr || detail->stream == kNoInt) continue;
    events.push_back({detail->device, detail->stream, input.trace.spans.start_ns[row], row});
  }
  SortRuns(std::span(events), [](const StreamEvent& a, const StreamEvent& b) {
    return std::tie(a.device, a.stream, a.start_ns) < std::tie(b.device, b.stream, b.start_ns);
  });
  return events;
}

// Whole microseconds hide up to one of overlap that is none.
int64_t OverlapTolerance(const std::vector<StreamEvent>& events) {
  const bool coarse = std::all_of(events.begin(), events.end(), [](const StreamEvent& event) {
    return event.start_ns % 1'000 == 0;
  });
  return coarse ? kClockToleranceNs : 0;
}

// The numbers of the steps that the trace shows; a number too long to be one is left out.
std::vector<std::pair<int64_t, uint64_t>> StepNumbers(const Trace& trace, const Steps& steps) {
  std::vector<std::pair<int64_t, uint64_t>> numbers;  // with the offset of the step's event
  for (const Step& step : steps.rows) {
    if (step.span == kNoRow) continue;
    const std::string_view digits = ProfilerStepNumber(trace.NameOfSpan(step.span));
    int64_t number = 0;
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto [after, error] = std::from_chars(begin, end, number);
    if (error == std::errc() && after == end)
      numbers.emplace_back(number, trace.spans.offset[step.span]);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Tally FindMissingSteps(const Trace& trace, const Steps& steps) {
  const std::vector<std::pair<int64_t, uint64_t>> numbers = StepNumbers(trace, steps);
  Tally missing;
  for (size_t i = 1; i < numbers.size(); ++i) {
    const int64_t gap = Difference(numbers[i].first, numbers[i - 1].first);
    if (gap <= 1) continue;
    missing.Add(numbers[i].second);
    missing.count += static_cast<uint64_t>(gap - 2);
  }
  return missing;
}

// What makes an event itself, beyond its place and name: ids that the profiler gives once.
struct Identity {
  uint64_t first = kNoUint;
  uint64_t second = kNoUint;
  friend bool operator==(const Identity&, const Identity&) = default;
};

Identity IdentityOf(const Trace& trace, SpanRow row) {
  if (const OperatorDetail* d = trace.OperatorOf(row)) {
    return {d->external_id,
            static_cast<uint64_t>(d->sequence_number) ^ static_cast<uint64_t>(d->input_dims) << 40};
  }
  if (const RuntimeDetail* d = trace.RuntimeOf(row)) return {d->correlation, d->external_id};
  if (const DeviceDetail* d = trace.DeviceOf(row)) return {d->correlation, d->graph_node_id};
  return {};
}

// Only events that are told apart by an id, or at least by a length, can be called the same.
bool CanBeDuplicate(const Trace& trace, SpanRow row) {
  const Category category = trace.spans.category[row];
  if (!IsHost(category) && !IsDevice(category)) return false;
  return trace.spans.duration_ns[row] > 0 && IdentityOf(trace, row).first != kNoUint;
}

bool SameEvent(const Trace& trace, SpanRow a, SpanRow b) {
  const SpanTable& s = trace.spans;
  return s.start_ns[a] == s.start_ns[b] && s.duration_ns[a] == s.duration_ns[b] &&
         s.name[a] == s.name[b] && s.track[a] == s.track[b] && s.category[a] == s.category[b] &&
         IdentityOf(trace, a) == IdentityOf(trace, b);
}

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

uint64_t HashOf(const Trace& trace, SpanRow row) {
  const Identity identity = IdentityOf(trace, row);
  uint64_t hash = Mix(0, static_cast<uint64_t>(trace.spans.start_ns[row]));
  hash = Mix(hash, static_cast<uint64_t>(trace.spans.duration_ns[row]));
  hash = Mix(hash, static_cast<uint64_t>(trace.spans.name[row]));
  hash = Mix(hash, identity.first);
  return Mix(hash, identity.second);
}

// Hashes that occur twice: candidates, few or none in a sound file.
std::vector<uint64_t> RepeatedHashes(const Trace& trace) {
  std::vector<uint64_t> hashes;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    if (CanBeDuplicate(trace, static_cast<SpanRow>(row)))
      hashes.push_back(HashOf(trace, static_cast<SpanRow>(row)));
  }
  std::sort(hashes.begin(), hashes.end());
  std::vector<uint64_t> repeated;
  for (size_t i = 1; i < hashes.size(); ++i) {
    if (hashes[i] == hashes[i - 1] && (repeated.empty() || repeated.back() != hashes[i])) {
      repeated.push_back(hashes[i]);
    }
  }
  return repeated;
}

}  // namespace

void CheckDeviceOverlap(const Input& input, std::vector<Finding>& findings) {
  const std::vector<StreamEvent> events = EventsByStream(input);
  const int64_t tolerance = OverlapTolerance(events);
  Tally overlaps;
  for (size_t i = 1, begin = 0; i < events.size(); ++i) {
    const bool same =
        events[i].device == events[begin].device && events[i].stream == events[begin].stream;
    if (!same) {
      begin = i;
      continue;
    }
    const int64_t end = input.trace.spans.end_ns(events[begin].row);
    if (Difference(end, events[i].start_ns) > tolerance)
      overlaps.Add(input.trace.spans.offset[events[i].row]);
    if (input.trace.spans.end_ns(events[i].row) >= end) begin = i;  // the one that is busy longest
  }
  AddFinding(findings, Severity::kInfo, "device_overlap", overlaps,
             "device events on one stream overlap in time (programmatic dependent launch, or "
             "branches of a graph): "
             "summed kernel times count such moments twice, utilisation counts them once");
}

void CheckSteps(const Input& input, std::vector<Finding>& findings) {
  Diagnostics found;
  const Steps steps = FindSteps(input.trace, input.tree, input.links,
                                FindNameFacts(input.trace, ""), AnalysisOptions{}, found);
  for (DiagnosticKind kind : {DiagnosticKind::kNoSteps, DiagnosticKind::kIncompleteStep}) {
    for (const Diagnostic& d : found.entries()) {
      if (d.kind != kind) continue;
      const DiagnosticInfo& info = InfoOf(kind);
      AddFinding(findings, info.severity, info.name, {d.count, d.first_offset},
                 d.detail.empty() ? std::string(info.message) : d.detail);
    }
  }
  const Tally missing = FindMissingSteps(input.trace, steps);
  AddFinding(findings, Severity::kLoss, "missing_steps", missing,
             fmt::format("{} step numbers are missing between the first and the last ProfilerStep: "
                         "those steps were "
                         "not recorded, and averages are over the others",
                         missing.count));
}

void CheckDuplicates(const Input& input, std::vector<Finding>& findings) {
  const Trace& trace = input.trace;
  const std::vector<uint64_t> repeated = RepeatedHashes(trace);
  if (repeated.empty()) return;
  std::vector<std::pair<uint64_t, SpanRow>> candidates;
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    const auto row = static_cast<SpanRow>(i);
    if (!CanBeDuplicate(trace, row)) continue;
    const uint64_t hash = HashOf(trace, row);
    if (std::binary_search(repeated.begin(), repeated.end(), hash))
      candidates.emplace_back(hash, row);
  }
  std::sort(candidates.begin(), candidates.end());
  Tally duplicates;
  for (size_t i = 1; i < candidates.size(); ++i) {
    const bool same = candidates[i].first == candidates[i - 1].first &&
                      SameEvent(trace, candidates[i].second, candidates[i - 1].second);
    if (same) duplicates.Add(trace.spans.offset[candidates[i].second]);
  }
  AddFinding(findings, Severity::kError, "duplicated_span", duplicates,
             "the same event stands in the file more than once: its time counts each time, so "
             "totals and calls are "
             "too high");
}

void CheckUnfinished(const Input& input, std::vector<Finding>& findings) {
  Tally unfinished;
  for (size_t row = 0; row < input.trace.spans.size(); ++row) {
    const OperatorDetail* detail = input.trace.OperatorOf(row);
    if (detail != nullptr && !detail->finished) unfinished.Add(input.trace.spans.offset[row]);
  }
  AddFinding(findings, Severity::kLoss, "unfinished_range", unfinished,
             "ranges were still open when recording ended: their durations are too short");
}

}  // namespace telltale::validation
