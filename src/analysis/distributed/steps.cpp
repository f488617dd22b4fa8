// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/steps.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/core/interval_cover.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

Interval TimeOf(const Trace& trace, SpanRow row) {
  return {trace.spans.start_ns[row], trace.spans.end_ns(row)};
}

// Kernels that compute; in a trace without any kernel, operators that do not communicate.
IntervalSet Computation(const TraceContext& context) {
  const Trace& trace = context.trace;
  std::vector<Interval> intervals;
  bool any_kernel = false;
  for (const SpanRow row : context.links.device) {
    if (trace.spans.category[row] != Category::kKernel) continue;
    any_kernel = true;
    if (!IsCommunication(trace, context.facts, row)) intervals.push_back(TimeOf(trace, row));
  }
  if (any_kernel) return Union(std::move(intervals));
  const StringId param_comms = trace.strings.Find("record_param_comms");
  for (const HostThread& thread : context.tree.threads) {
    UnionBuilder builder(intervals);
    CancelCheck cancel;
    for (NodeId node = thread.first; node < thread.last; ++node) {
      cancel.Tick();
      const SpanRow row = context.tree.span[node];
      const StringId name = trace.spans.name[row];
      if (trace.spans.category[row] == Category::kOperator && name != param_comms &&
          !context.facts.Is(name, NameFact::kCommunicationRange)) {
        builder.Add(trace.spans.start_ns[row], trace.spans.end_ns(row));
      }
    }
  }
  return Union(std::move(intervals));
}

// Kernels that communicate, and the ranges of libraries that communicate on the host.
IntervalSet Communication(const TraceContext& context, const std::vector<CollectiveCall>& calls) {
  const Trace& trace = context.trace;
  std::vector<Interval> intervals;
  for (const SpanRow row : context.links.device) {
    if (trace.spans.category[row] == Category::kKernel &&
        IsCommunication(trace, context.facts, row))
      intervals.push_back(TimeOf(trace, row));
  }
  for (const CollectiveCall& call : calls) {
    if (call.time && !call.on_device) intervals.push_back(*call.time);
  }
  return Union(std::move(intervals));
}

std::string NameOfStep(const TraceContext& context, const Step& step) {
  if (step.span == kNoRow) return "all";
  const std::string_view name = context.trace.NameOfSpan(step.span);
  const std::string_view number = ProfilerStepNumber(name);
  return std::string(number.empty() ? name : number);
}

int64_t RestOf(const RankTimes& times) {
  int64_t rest = times.duration_ns;
  for (const int64_t part : {times.computation_ns, times.overlap_ns, times.communication_ns})
    SubtractFrom(rest, part);
  return rest;
}

}  // namespace

std::vector<RankStep> DescribeRankSteps(const TraceContext& context,
                                        const std::vector<CollectiveCall>& calls,
                                        const std::vector<MatchedTime>& matched) {
  IntervalSet computation = Computation(context);
  IntervalSet communication = Communication(context, calls);
  const IntervalCover both(Intersection(computation, communication));
  const IntervalCover computes(std::move(computation));
  const IntervalCover communicates(std::move(communication));
  std::vector<Interval> ranges;
  std::vector<Interval> transfers;
  for (const MatchedTime& call : matched) {
    ranges.push_back(call.time);
    // The transfer is at the end: before it, this rank waits for the others.
    transfers.push_back({Difference(call.time.end_ns, call.transfer_ns), call.time.end_ns});
  }
  const IntervalCover range_cover(Union(std::move(ranges)));
  const IntervalCover transfer_cover(Union(std::move(transfers)));

  std::vector<RankStep> rows;
  for (const Step& step : context.steps.rows) {
    if (!step.selected) continue;
    RankStep row;
    row.name = NameOfStep(context, step);
    row.start_ns = step.bounds.start_ns;
    row.complete = step.complete;
    RankTimes& times = row.times;
    times.duration_ns = Difference(step.bounds.end_ns, step.bounds.start_ns);
    times.overlap_ns = both.Within(step.bounds);
    times.computation_ns = Difference(computes.Within(step.bounds), times.overlap_ns);
    times.communication_ns = Difference(communicates.Within(step.bounds), times.overlap_ns);
    times.other_ns = RestOf(times);
    if (!matched.empty()) {
      times.transfer_ns = transfer_cover.Within(step.bounds);
      times.waiting_ns = Difference(range_cover.Within(step.bounds), *times.transfer_ns);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

RankTimes AverageTimes(const std::vector<RankStep>& steps) {
  RankTimes average;
  int64_t count = 0;
  for (const RankStep& step : steps) {
    if (!step.complete) continue;
    ++count;
    AddTo(average.duration_ns, step.times.duration_ns);
    AddTo(average.computation_ns, step.times.computation_ns);
    AddTo(average.overlap_ns, step.times.overlap_ns);
    AddTo(average.communication_ns, step.times.communication_ns);
    if (!step.times.transfer_ns) continue;
    average.transfer_ns = average.transfer_ns.value_or(0);
    average.waiting_ns = average.waiting_ns.value_or(0);
    AddTo(*average.transfer_ns, *step.times.transfer_ns);
    AddTo(*average.waiting_ns, *step.times.waiting_ns);
  }
  if (count == 0) return average;
  average.duration_ns /= count;
  average.computation_ns /= count;
  average.overlap_ns /= count;
  average.communication_ns /= count;
  if (average.transfer_ns) *average.transfer_ns /= count;
  if (average.waiting_ns) *average.waiting_ns /= count;
  // So that the averages add up, too.
  average.other_ns = RestOf(average);
  return average;
}

}  // namespace telltale
