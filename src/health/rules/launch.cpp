// SPDX-License-Identifier: Apache-2.0
// Rules about the host that does not keep the device's queue filled: launch_bound, synchronization.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr uint64_t kFewestKernels = 20;
// What a launch costs on common machines; with a profiler attached the call itself often takes
// longer.
constexpr int64_t kShortKernelNs = 10'000;
// A longer gap has another cause than launching: input, synchronisation, other host code.
constexpr int64_t kLongestLaunchGapNs = 1'000'000;
constexpr double kShortShare = 0.50;
constexpr double kHostWaitShare = 0.20;
constexpr double kHostWaitHighShare = 0.50;

constexpr double kWaitsPerStep = 10;
constexpr double kWaitShare = 0.10;
constexpr double kWaitMediumShare = 0.05;
constexpr double kWaitHighShare = 0.20;
constexpr double kBusyEnough = 0.95;  // waits cost nothing while the device works
constexpr double kBusyMostly = 0.80;

// How often the device ran dry although more work was coming, and how short its kernels are.
struct LaunchFacts {
  uint64_t kernels = 0;        // with a launch of their own (graph launches do not count)
  uint64_t short_kernels = 0;  // shorter than their launching call or than 10 µs
  int64_t kernel_ns = 0;
  int64_t launch_ns = 0;
  int64_t host_wait_ns = 0;  // on the device where it is longest
  double host_wait_share = 0;
  int64_t device = kNoInt;
  SpanRow example = kNoRow;  // what ran after the longest of these waits
};

struct DeviceEvent {
  int64_t start_ns;
  int64_t end_ns;
  int64_t launch_ns;  // kNoInt: not in the trace
  SpanRow row;
};

struct DeviceQueue {
  int64_t device;
  std::vector<DeviceEvent> events;
};

std::vector<DeviceQueue> QueuesByDevice(const RankFacts& context) {
  std::vector<DeviceQueue> queues;
  const SpanTable& spans = context.trace.spans;
  for (size_t i = 0; i < context.links.size(); ++i) {
    const SpanRow row = context.links.device[i];
    const DeviceDetail* detail = context.trace.DeviceOf(row);
    if (detail == nullptr) continue;
    auto queue = std::find_if(queues.begin(), queues.end(), [detail](const DeviceQueue& q) {
      return q.device == detail->device;
    });
    if (queue == queues.end()) queue = queues.insert(queue, {detail->device, {}});
    const NodeId launch = context.links.launch[i];
    queue->events.push_back({spans.start_ns[row], spans.end_ns(row),
                             launch == kNoRow ? kNoInt : spans.start_ns[context.tree.span[launch]],
                             row});
  }
  for (DeviceQueue& queue : queues) {
    SortRuns(std::span(queue.events),
             [](const DeviceEvent& a, const DeviceEvent& b) { return a.start_ns < b.start_ns; });
  }
  return queues;
}

struct HostWait {
  int64_t total_ns = 0;
  int64_t longest_ns = 0;
  SpanRow after_longest = kNoRow;
};

// The short gaps in which the device had finished everything before the next launch began.
HostWait FindHostWait(const DeviceQueue& queue, int64_t window_start, int64_t window_end) {
  HostWait wait;
  int64_t busy_until = window_start;
  for (const DeviceEvent& event : queue.events) {
    if (event.start_ns >= window_end) break;
    const bool dry = event.launch_ns != kNoInt && event.launch_ns > busy_until;
    const int64_t gap = Difference(event.start_ns, busy_until);
    if (dry && event.start_ns > busy_until && gap > 0 && gap < kLongestLaunchGapNs) {
      AddTo(wait.total_ns, gap);
      if (gap > wait.longest_ns) {
        wait.longest_ns = gap;
        wait.after_longest = event.row;
      }
    }
    busy_until = std::max(busy_until, event.end_ns);
  }
  return wait;
}

// Kernels against the calls that launched them. A call that launched several (a graph) says nothing
// about one of them.
void CompareWithLaunches(const RankFacts& context, LaunchFacts& facts) {
  std::vector<uint8_t> launched(context.tree.size());
  for (NodeId launch : context.links.launch) {
    if (launch != kNoRow && launched[launch] < 2) ++launched[launch];
  }
  const SpanTable& spans = context.trace.spans;
  for (size_t i = 0; i < context.links.size(); ++i) {
    const NodeId launch = context.links.launch[i];
    const SpanRow row = context.links.device[i];
    if (launch == kNoRow || launched[launch] != 1 || spans.category[row] != Category::kKernel)
      continue;
    const int64_t call_ns = spans.duration_ns[context.tree.span[launch]];
    ++facts.kernels;
    AddTo(facts.kernel_ns, spans.duration_ns[row]);
    AddTo(facts.launch_ns, call_ns);
    if (spans.duration_ns[row] < std::max(call_ns, kShortKernelNs)) ++facts.short_kernels;
  }
}

LaunchFacts FindLaunchFacts(const RankFacts& context) {
  LaunchFacts facts;
  if (context.steps.empty()) return facts;
  CompareWithLaunches(context, facts);
  const int64_t window_start = context.steps.front().start_ns;
  const int64_t window_end = context.steps.back().end_ns;
  const int64_t window = Difference(window_end, window_start);
  if (window <= 0) return facts;
  for (const DeviceQueue& queue : QueuesByDevice(context)) {
    const HostWait wait = FindHostWait(queue, window_start, window_end);
    if (wait.total_ns <= facts.host_wait_ns) continue;
    facts.host_wait_ns = wait.total_ns;
    facts.host_wait_share = static_cast<double>(wait.total_ns) / static_cast<double>(window);
    facts.device = queue.device;
    facts.example = wait.after_longest;
  }
  return facts;
}

std::optional<Recommendation> FindLaunchBound(const RankFacts& context) {
  if (!context.has_device_events()) return std::nullopt;
  const LaunchFacts facts = FindLaunchFacts(context);
  if (facts.kernels < kFewestKernels || facts.host_wait_share < kHostWaitShare) return std::nullopt;
  const double short_share =
      static_cast<double>(facts.short_kernels) / static_cast<double>(facts.kernels);
  if (short_share < kShortShare) return std::nullopt;

  const auto kernels = static_cast<int64_t>(facts.kernels);
  const std::string finding = fmt::format(
      "Short kernels, empty queue: {} of {} kernels are shorter than the call that launches them "
      "or than "
      "10 µs (mean kernel {}, mean launch call {}), and the device waits {} of the time ({}) for "
      "the next "
      "launch.",
      facts.short_kernels, facts.kernels, Duration(facts.kernel_ns / kernels),
      Duration(facts.launch_ns / kernels), Share(facts.host_wait_share),
      Duration(facts.host_wait_ns));
  std::string remedy =
      "Launch less: torch.compile fuses small operators, fused or foreach optimizers replace "
      "loops over parameters, a larger batch makes each kernel longer";
  if (context.has_graphs()) {
    remedy += context.on_amd()
                  ? ", and HIP graphs (torch.compile mode=\"reduce-overhead\" or torch.cuda.graph, "
                    "as on CUDA) launch a whole step at once."
                  : ", and CUDA graphs (torch.compile mode=\"reduce-overhead\" or "
                    "torch.cuda.graph) launch a whole step at once.";
  } else {
    remedy += ".";
  }
  Recommendation made = Make(
      facts.host_wait_share >= kHostWaitHighShare ? AdviceSeverity::kHigh : AdviceSeverity::kMedium,
      finding, remedy);
  AddEvidence(made, "kernels", facts.kernels);
  AddEvidence(made, "short_kernels", facts.short_kernels);
  AddEvidence(made, "short_share", short_share);
  AddEvidence(made, "mean_kernel_ns", facts.kernel_ns / kernels);
  AddEvidence(made, "mean_launch_ns", facts.launch_ns / kernels);
  AddEvidence(made, "host_wait_ns", facts.host_wait_ns);
  AddEvidence(made, "host_wait_share", facts.host_wait_share);
  if (facts.device != kNoInt) AddEvidence(made, "device", facts.device);
  AddExample(made, context.trace, facts.example);
  return made;
}

struct SyncFacts {
  explicit SyncFacts(const RankFacts& context) : per_step(context) {}
  PerStep per_step;
  uint64_t items = 0;        // waits inside aten::item or aten::_local_scalar_dense
  uint64_t from_copies = 0;  // waits inside an operator that copies
  SpanRow longest = kNoRow;
  std::unordered_map<uint32_t, uint64_t> causes;  // by name of the outermost operator
};

bool IsItem(std::string_view name) {
  return name == "aten::item" || name == "aten::_local_scalar_dense" || name == "aten::is_nonzero";
}

bool IsCopyOperator(std::string_view name) {
  return name == "aten::copy_" || name == "aten::_to_copy" || name == "aten::to" ||
         name == "aten::_local_scalar_dense";
}

// Looks at the operators around a wait. False if the wait stands alone: the last one of a trace
// without steps is the profiler's own.
bool AddCauses(const RankFacts& context, NodeId wait, SyncFacts& facts) {
  bool item = false;
  bool copy = false;
  bool inside = false;
  StringId outermost = kNoString;
  for (NodeId up = context.tree.EffectiveParent(wait); up != kNoRow;
       up = context.tree.EffectiveParent(up)) {
    inside = true;
    const SpanRow row = context.tree.span[up];
    if (context.trace.spans.category[row] != Category::kOperator) continue;
    const std::string_view name = context.trace.NameOfSpan(row);
    item |= IsItem(name);
    copy |= IsCopyOperator(name);
    if (name.starts_with("aten::")) outermost = context.trace.spans.name[row];
  }
  if (context.whole_trace && !inside) return false;
  facts.items += item ? 1 : 0;
  facts.from_copies += copy ? 1 : 0;
  if (outermost != kNoString) ++facts.causes[static_cast<uint32_t>(outermost)];
  return true;
}

SyncFacts FindSynchronizations(const RankFacts& context) {
  SyncFacts facts(context);
  const auto& durations = context.trace.spans.duration_ns;
  for (NodeId wait : context.synchronizations) {
    const SpanRow row = context.tree.span[wait];
    if (context.StepAt(context.trace.spans.start_ns[row]) == RankFacts::kNoStep) continue;
    if (!AddCauses(context, wait, facts)) continue;
    facts.per_step.Add(context, row);
    if (facts.longest == kNoRow || durations[row] > durations[facts.longest]) facts.longest = row;
  }
  return facts;
}

std::pair<std::string_view, uint64_t> CommonestCause(const RankFacts& context,
                                                     const SyncFacts& facts) {
  std::pair<std::string_view, uint64_t> best = {{}, 0};
  for (const auto& [name, count] : facts.causes) {
    const std::string_view text = context.trace.Text(StringId{name});
    if (count > best.second || (count == best.second && text < best.first)) best = {text, count};
  }
  return best;
}

AdviceSeverity SyncSeverity(double utilization, double share) {
  if (utilization >= kBusyMostly) return AdviceSeverity::kLow;
  if (share >= kWaitHighShare) return AdviceSeverity::kHigh;
  return share >= kWaitMediumShare ? AdviceSeverity::kMedium : AdviceSeverity::kLow;
}

std::optional<Recommendation> FindSynchronization(const RankFacts& context) {
  if (!context.has_device_events() || context.synchronizations.size() < kFewestEvents ||
      context.lowest_utilization >= kBusyEnough) {
    return std::nullopt;
  }
  const SyncFacts facts = FindSynchronizations(context);
  if (facts.per_step.count < kFewestEvents) return std::nullopt;
  const double per_step = facts.per_step.CountPerStep();
  const double share = facts.per_step.Share(context);
  const bool many = !context.whole_trace && per_step >= kWaitsPerStep;
  if (!many && share < kWaitShare) return std::nullopt;

  const auto count = static_cast<double>(facts.per_step.count);
  const auto [cause, cause_count] = CommonestCause(context, facts);
  std::string finding = fmt::format(
      "The host stops and waits for the device {} times per {} ({} of its time, {} in all), and "
      "each wait "
      "leaves the queue empty; the device is idle {} of the time.",
      Average(per_step), context.whole_trace ? "trace" : "step", Share(share),
      Duration(facts.per_step.total_ns), Share(1 - context.lowest_utilization));
  if (cause_count > 0)
    finding +=
        fmt::format(" {} of {} waits come from {}.", cause_count, facts.per_step.count, cause);
  const std::string remedy =
      "Do not read values back inside the loop: .item(), .cpu(), printing a loss, Python branches "
      "on tensors "
      "and boolean indexing all wait; keep metrics on the device and read them every N steps, and "
      "copy with "
      "pinned memory and non_blocking=True.";
  Recommendation made = Make(SyncSeverity(context.lowest_utilization, share), finding, remedy);
  AddEvidence(made, "waits_per_step", per_step);
  AddEvidence(made, "waits", facts.per_step.count);
  AddEvidence(made, "wait_ns", facts.per_step.total_ns);
  AddEvidence(made, "wait_share", share);
  AddEvidence(made, "waits_in_item", facts.items);
  AddEvidence(made, "from_copies_share", static_cast<double>(facts.from_copies) / count);
  AddEvidence(made, "utilization_share", context.lowest_utilization);
  if (cause_count > 0) {
    AddEvidence(made, "commonest_operator", std::string(cause));
    AddEvidence(made, "commonest_operator_waits", cause_count);
  }
  AddWorstStep(made, facts.per_step.WorstStep(context));
  AddExample(made, context.trace, facts.longest);
  return made;
}

}  // namespace

Rule LaunchBound() {
  return {
      .id = "launch_bound",
      .title = "launch bound",
      .needs = "kernels with their launching calls",
      .threshold =
          "at least 20 kernels, half of them shorter than their launching call or than 10 µs, and "
          "the device idle >= 20 % of the time (high: >= 50 %) in gaps below 1 ms whose next "
          "launch came too late",
      .reason =
          "10 µs is what a launch costs with a profiler attached; longer gaps have other causes",
      .views = {"overview", "idle", "launches"},
      .of_rank = FindLaunchBound};
}

Rule Synchronization() {
  return {
      .id = "synchronization",
      .title = "synchronization",
      .needs = "runtime calls, kernels",
      .threshold =
          "at least 10 waits, 10 per step or >= 10 % of the steps' time, on a device that is idle "
          "> 5 % (low while it is busy >= 80 %; otherwise medium from 5 %, high from 20 %)",
      .reason = "a wait costs nothing while the device works",
      .views = {"overview", "idle"},
      .of_rank = FindSynchronization};
}

}  // namespace telltale::health
