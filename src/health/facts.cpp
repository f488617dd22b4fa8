// SPDX-License-Identifier: Apache-2.0
#include "health/facts.h"

#include <algorithm>
#include <utility>

#include "analysis/causes/phase.h"
#include "analysis/memory/memory.h"
#include "analysis/memory/profile_report.h"
#include "base/parallel.h"

namespace telltale::health {

Facts::Facts(std::span<const TraceContext> traces, Subject subject, FactOptions options)
    : traces_(traces), subject_(std::move(subject)), options_(std::move(options)) {}

template <typename Report, typename Describe>
std::vector<Report> Facts::OfTraces(const Describe& describe) const {
  std::vector<Report> reports(traces_.size());
  if (traces_.empty()) return reports;
  ForEachOnThreads(ThreadCount(traces_[0].options.threads), traces_.size(),
                   [&](size_t i) { reports[i] = describe(traces_[i]); });
  return reports;
}

bool Facts::Training() const {
  const auto phase = Get<Phase>([this] {
    return Phase{traces_.empty() || std::ranges::any_of(traces_, [](const TraceContext& context) {
                   return IsTraining(context.trace);
                 })};
  });
  return phase->training;
}

bool Facts::OnAmd() const {
  return std::ranges::any_of(traces_,
                             [](const TraceContext& context) { return context.facts.hip_calls; });
}

Facts::OfEach<IdleReport> Facts::Idle() const {
  return Get<std::vector<IdleReport>>([this] { return OfTraces<IdleReport>(DescribeIdle); });
}

Facts::OfEach<LaunchReport> Facts::Launches() const {
  return Get<std::vector<LaunchReport>>(
      [this] { return OfTraces<LaunchReport>(DescribeLaunches); });
}

Facts::OfEach<MemoryReport> Facts::Memory() const {
  return Get<std::vector<MemoryReport>>([this] {
    std::vector<MemoryReport> reports = OfTraces<MemoryReport>(DescribeMemory);
    for (const MemoryProfile* profile : subject_.Each<MemoryProfile>()) {
      reports.push_back(DescribeMemoryProfile(*profile));
    }
    return reports;
  });
}

Facts::Shared<ModuleReport> Facts::Modules() const {
  return Get<ModuleReport>([this] {
    std::vector<ModuleReport> reports = OfTraces<ModuleReport>(DescribeModules);
    return reports.size() == 1 ? std::move(reports.front()) : MergeModules(reports);
  });
}

Facts::Shared<DistributedReport> Facts::Distributed() const {
  return Get<DistributedReport>([this] { return DescribeDistributed(traces_); });
}

Facts::Shared<RooflineReport> Facts::Roofline() const {
  return Get<RooflineReport>([this] { return DescribeRoofline(traces_, options_.roofline); });
}

Facts::Shared<CriticalPathReport> Facts::CriticalPath() const {
  return Get<CriticalPathReport>([this] {
    const bool steps = options_.critical_path.annotation.empty();
    return DescribeCriticalPath(traces_, options_.critical_path, steps ? Worlds().get() : nullptr);
  });
}

Facts::Shared<RegionWorlds> Facts::Worlds() const {
  return Get<RegionWorlds>([this] { return FindRegionWorlds(traces_, "", 0); });
}

Facts::OfEach<WorkSaving> Facts::WorkSavings() const {
  return Get<std::vector<WorkSaving>>([this] {
    const Shared<RooflineReport> roofline = Roofline();
    return SavingsToTheRoof(*Worlds(), roofline->rows);
  });
}

}  // namespace telltale::health
