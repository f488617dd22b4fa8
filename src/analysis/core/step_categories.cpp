// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/step_categories.h"

#include <algorithm>
#include <utility>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

StepCategory CategoryOfDevice(const Trace& trace, const NameFacts& facts, SpanRow row) {
  switch (trace.spans.category[row]) {
    case Category::kMemcpy:
      return StepCategory::kMemcpy;
    case Category::kMemset:
      return StepCategory::kMemset;
    default:
      return IsCommunication(trace, facts, row) ? StepCategory::kCommunication
                                                : StepCategory::kKernel;
  }
}

}  // namespace

std::optional<StepCategory> CategoryOfHostEvent(const Trace& trace, const NameFacts& facts,
                                                SpanRow row) {
  const Category category = trace.spans.category[row];
  if (category == Category::kRuntime) return StepCategory::kRuntime;
  const StringId name = trace.spans.name[row];
  if (facts.Is(name, NameFact::kStep)) return std::nullopt;
  if (facts.Is(name, NameFact::kCommunicationRange)) return StepCategory::kCommunication;
  if (facts.Is(name, NameFact::kDataLoaderRange)) return StepCategory::kDataloader;
  if (category == Category::kOperator) return StepCategory::kCpuExec;
  return std::nullopt;
}

StepPartition::StepPartition(const Trace& trace, const HostTree& tree, const DeviceLinks& links,
                             const NameFacts& facts) {
  const auto set = [this](StepCategory category) -> IntervalSet& {
    return sets_[static_cast<size_t>(category)];
  };
  // A thread's events come in order of their starts, so most melt into the one before right away.
  for (const HostThread& thread : tree.threads) {
    UnionBuilder runtime(set(StepCategory::kRuntime));
    UnionBuilder communication(set(StepCategory::kCommunication));
    UnionBuilder dataloader(set(StepCategory::kDataloader));
    UnionBuilder cpu_exec(set(StepCategory::kCpuExec));
    for (NodeId node = thread.first; node < thread.last; ++node) {
      const SpanRow row = tree.span[node];
      const std::optional<StepCategory> category = CategoryOfHostEvent(trace, facts, row);
      if (!category) continue;
      UnionBuilder& builder = *category == StepCategory::kRuntime         ? runtime
                              : *category == StepCategory::kCommunication ? communication
                              : *category == StepCategory::kDataloader    ? dataloader
                                                                          : cpu_exec;
      builder.Add(trace.spans.start_ns[row], trace.spans.end_ns(row));
    }
  }
  for (const SpanRow row : links.device) {
    set(CategoryOfDevice(trace, facts, row))
        .push_back({trace.spans.start_ns[row], trace.spans.end_ns(row)});
  }
  for (IntervalSet& intervals : sets_) intervals = Union(std::move(intervals));
}

StepTimes StepPartition::Divide(const Interval& step, IntervalSet* other) {
  StepTimes times = {};
  for (int64_t now = step.start_ns; now < step.end_ns;) {
    // The first category that covers this moment keeps it until its interval ends or an interval
    // of a category before it starts.
    int64_t until = step.end_ns;
    size_t winner = 0;
    for (; winner < sets_.size(); ++winner) {
      const IntervalSet& set = sets_[winner];
      size_t& at = at_[winner];
      while (at < set.size() && set[at].end_ns <= now) ++at;
      if (at == set.size()) continue;
      if (set[at].start_ns <= now) {
        until = std::min(until, set[at].end_ns);
        break;
      }
      until = std::min(until, set[at].start_ns);
    }
    AddTo(times[winner], Difference(until, now));
    if (winner == kCovered && other != nullptr) other->push_back({now, until});
    now = until;
  }
  return times;
}

}  // namespace telltale
