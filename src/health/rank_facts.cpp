// SPDX-License-Identifier: Apache-2.0
// One walk over the host events that sorts out what the rules ask for.
#include "health/rank_facts.h"

#include <algorithm>

#include "analysis/causes/phase.h"
#include "analysis/core/communication.h"
#include "analysis/core/sums.h"

namespace telltale::health {

namespace {

// What a host event's name means to the rules; decided once per distinct name.
enum class Kind : uint8_t {
  kUnknown,  // not looked at yet
  kNothing,
  kDataParallel,
  kDistributed,
  kNccl,
  kOtherCommunication,
  kCompiledRegion,
};

Kind KindOfRange(std::string_view name) {
  if (name == "DataParallel.forward") return Kind::kDataParallel;
  if (name == "DistributedDataParallel.forward" || name == "FullyShardedDataParallel.forward") {
    return Kind::kDistributed;
  }
  if (name.starts_with("nccl:")) return Kind::kNccl;
  if (IsCommunicationRange(name)) return Kind::kOtherCommunication;
  if (name.starts_with("Torch-Compiled Region")) return Kind::kCompiledRegion;
  return Kind::kNothing;
}

std::vector<NodeId>* ListOf(RankFacts& context, Kind kind) {
  switch (kind) {
    case Kind::kDataParallel:
      return &context.data_parallel_forwards;
    case Kind::kDistributed:
      return &context.distributed_forwards;
    case Kind::kNccl:
      return &context.nccl_ranges;
    case Kind::kOtherCommunication:
      return &context.other_communication_ranges;
    case Kind::kCompiledRegion:
      return &context.compiled_regions;
    case Kind::kUnknown:
    case Kind::kNothing:
      break;
  }
  return nullptr;
}

void SortOutHostEvents(RankFacts& context) {
  const SpanTable& spans = context.trace.spans;
  std::vector<Kind> kinds(context.trace.strings.size(), Kind::kUnknown);
  for (NodeId node = 0; node < context.tree.size(); ++node) {
    if (context.tree.folded_into[node] != node) continue;
    const SpanRow row = context.tree.span[node];
    const auto at = static_cast<size_t>(spans.name[row]);
    if (spans.category[row] == Category::kRuntime || at >= kinds.size()) continue;
    if (kinds[at] == Kind::kUnknown) kinds[at] = KindOfRange(context.trace.NameOfSpan(row));
    if (std::vector<NodeId>* list = ListOf(context, kinds[at])) list->push_back(node);
  }
}

void FindSteps(RankFacts& context) {
  const StepReport& steps = context.report.steps;
  context.whole_trace = steps.source == StepSource::kWholeTrace;
  for (size_t i = 0; i < steps.rows.size(); ++i) {
    const StepRow& row = steps.rows[i];
    if (!row.complete || row.duration_ns <= 0) continue;
    const int64_t start = Difference(row.start_ns, context.trace.base_time_ns);
    int64_t end = start;
    AddTo(end, row.duration_ns);
    context.steps.push_back({start, end, i});
    AddTo(context.steps_ns, row.duration_ns);
  }
  std::sort(context.steps.begin(), context.steps.end(),
            [](const StepWindow& a, const StepWindow& b) { return a.start_ns < b.start_ns; });
}

void FindDevices(RankFacts& context) {
  bool first = true;
  for (const DeviceRow& device : context.report.devices) {
    if (device.kernel_count == 0) continue;
    if (first) context.device_type = device.type;
    if (context.device_type != device.type) context.device_type.clear();
    first = false;
  }
}

}  // namespace

RankFacts MakeRankFacts(const TraceContext& of, const ProfileReport& report) {
  RankFacts context{
      .trace = of.trace, .tree = of.tree, .links = of.links, .facts = of.facts, .report = report};
  context.training = IsTraining(of.trace);
  FindSteps(context);
  FindDevices(context);
  SortOutHostEvents(context);
  return context;
}

size_t RankFacts::StepAt(int64_t time_ns) const {
  auto after =
      std::upper_bound(steps.begin(), steps.end(), time_ns,
                       [](int64_t time, const StepWindow& step) { return time < step.start_ns; });
  if (after == steps.begin()) return kNoStep;
  --after;
  return time_ns < after->end_ns ? static_cast<size_t>(after - steps.begin()) : kNoStep;
}

double RankFacts::Average(StepCategory category) const {
  return static_cast<double>(report.steps.average[static_cast<size_t>(category)]);
}

double RankFacts::ShareOfStep(StepCategory category) const {
  if (report.steps.average_ns <= 0 || steps.empty()) return 0;
  return Average(category) / static_cast<double>(report.steps.average_ns);
}

bool PerStep::Add(const RankFacts& context, SpanRow row) {
  const size_t step = context.StepAt(context.trace.spans.start_ns[row]);
  if (step == RankFacts::kNoStep) return false;
  const int64_t duration = context.trace.spans.duration_ns[row];
  ++count;
  AddTo(total_ns, duration);
  AddTo(step_ns[step], duration);
  return true;
}

double PerStep::CountPerStep() const {
  return step_ns.empty() ? 0 : static_cast<double>(count) / static_cast<double>(step_ns.size());
}

double PerStep::Share(const RankFacts& context) const {
  if (context.steps_ns <= 0) return 0;
  return static_cast<double>(total_ns) / static_cast<double>(context.steps_ns);
}

std::string PerStep::WorstStep(const RankFacts& context) const {
  const auto worst = std::max_element(step_ns.begin(), step_ns.end());
  if (worst == step_ns.end() || *worst <= 0) return {};
  const StepWindow& step = context.steps[static_cast<size_t>(worst - step_ns.begin())];
  return context.report.steps.rows[step.row].name;
}

std::string WorstStep(const RankFacts& context, StepCategory category) {
  double worst_share = 0;
  std::string name;
  for (const StepWindow& step : context.steps) {
    const StepRow& row = context.report.steps.rows[step.row];
    const double share = static_cast<double>(row.categories[static_cast<size_t>(category)]) /
                         static_cast<double>(row.duration_ns);
    if (share > worst_share) {
      worst_share = share;
      name = row.name;
    }
  }
  return name;
}

}  // namespace telltale::health
