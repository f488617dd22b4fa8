// SPDX-License-Identifier: Apache-2.0
// What the rules behind Advise share: a look at the trace made once, and one function a rule.
// Private to the advice_*.cpp files. Every rule returns nothing where the capture lacks what it
// needs, and none speaks on fewer than kFewestEvents events of its kind, unless the steps' own
// times are the evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/name_facts.h"
#include "analysis/work/report.h"
#include "model/trace.h"

namespace telltale::advice {

constexpr uint64_t kFewestEvents = 10;
constexpr uint64_t kFewestSteps = 2;

struct StepWindow {
  int64_t start_ns = 0;  // as written in the file
  int64_t end_ns = 0;
  size_t row = 0;  // of report.steps.rows
};

struct Context {
  const Trace& trace;
  const HostTree& tree;
  const DeviceLinks& links;
  const NameFacts& facts;
  const ProfileReport& report;

  std::vector<StepWindow> steps = {};  // the complete ones, in order of time
  int64_t steps_ns = 0;                // sum of their durations
  bool whole_trace = false;            // there is no step: the trace counts as one
  // Of the devices that ran kernels: "cuda", "hip" …; empty: no device or several types.
  std::string device_type = {};
  double lowest_utilization = 1;  // over devices with at least kFewestEvents kernels

  // Host events that some rule asks for.
  std::vector<NodeId> loader_ranges = {};
  std::vector<NodeId> data_parallel_forwards = {};
  std::vector<NodeId> distributed_forwards =
      {};  // DistributedDataParallel and FullyShardedDataParallel
  std::vector<NodeId> nccl_ranges = {};
  std::vector<NodeId> other_communication_ranges = {};  // gloo, mpi …
  std::vector<NodeId> synchronizations = {};            // runtime calls that wait for the device
  std::vector<NodeId> compiled_regions = {};  // Torch-Compiled Region: frame/recompilation
  std::vector<NodeId> compile_ranges = {};    // torch.compile at work

  static constexpr size_t kNoStep = SIZE_MAX;
  // Index into `steps` of the one that contains the moment.
  [[nodiscard]] size_t StepAt(int64_t time_ns) const;
  [[nodiscard]] bool has_device_events() const { return links.size() > 0; }
  [[nodiscard]] std::string_view NameOfNode(NodeId node) const {
    return trace.NameOfSpan(tree.span[node]);
  }
  [[nodiscard]] double Average(StepCategory category) const;  // ns per complete step
  [[nodiscard]] double ShareOfStep(StepCategory category) const;
  [[nodiscard]] bool on_amd() const { return device_type == "hip"; }
  [[nodiscard]] bool has_graphs() const { return device_type == "cuda" || device_type == "hip"; }
};

[[nodiscard]] Context MakeContext(const Trace& trace, const HostTree& tree,
                                  const DeviceLinks& links, const NameFacts& facts,
                                  const ProfileReport& report);

// Events of one kind inside the complete steps.
struct PerStep {
  uint64_t count = 0;
  int64_t total_ns = 0;
  std::vector<int64_t> step_ns;  // by index into Context::steps

  explicit PerStep(const Context& context) : step_ns(context.steps.size()) {}
  // False if the event lies in no complete step.
  bool Add(const Context& context, SpanRow row);
  [[nodiscard]] double CountPerStep() const;
  [[nodiscard]] double Share(const Context& context) const;  // of the steps' time
  // Name of the step with the most of it; empty if there is none.
  [[nodiscard]] std::string WorstStep(const Context& context) const;
};

// The step in which the category takes the largest share.
[[nodiscard]] std::string WorstStep(const Context& context, StepCategory category);

// text = finding + remedy.
[[nodiscard]] Recommendation Make(std::string_view rule, AdviceSeverity severity,
                                  const std::string& finding, std::string remedy,
                                  std::string threshold);
void AddEvidence(Recommendation& recommendation, std::string_view key, int64_t value);
void AddEvidence(Recommendation& recommendation, std::string_view key, uint64_t value);
void AddEvidence(Recommendation& recommendation, std::string_view key, double value);
void AddEvidence(Recommendation& recommendation, std::string_view key, std::string value);
// example_name, example_start_ns (like the steps' start_ns), example_offset.
void AddExample(Recommendation& recommendation, const Trace& trace, SpanRow row);
void AddWorstStep(Recommendation& recommendation, std::string step_name);

[[nodiscard]] const Recommendation* Find(std::span<const Recommendation> recommendations,
                                         std::string_view rule);
[[nodiscard]] double ShareEvidence(const Recommendation& recommendation, std::string_view key);
void Lower(AdviceSeverity& severity);

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
[[nodiscard]] LaunchFacts FindLaunchFacts(const Context& context);

using Rule = std::optional<Recommendation>;
// advice_input.cpp
[[nodiscard]] Rule DataloaderWait(const Context& context);
[[nodiscard]] Rule HostDeviceCopies(const Context& context);
[[nodiscard]] Rule PageableCopies(const Context& context);
// advice_distributed.cpp
[[nodiscard]] Rule DataParallel(const Context& context);
[[nodiscard]] Rule NcclBackend(const Context& context);
[[nodiscard]] Rule Communication(const Context& context);
// advice_device.cpp
[[nodiscard]] Rule LowUtilization(const Context& context, std::span<const Recommendation> others);
[[nodiscard]] Rule TensorCores(const Context& context);
[[nodiscard]] Rule MemoryLimit(const Context& context);
// advice_launch.cpp
[[nodiscard]] Rule LaunchBound(const Context& context);
[[nodiscard]] Rule Synchronization(const Context& context);
// advice_host_code.cpp
[[nodiscard]] Rule HostCode(const Context& context);
// advice_operators.cpp
[[nodiscard]] Rule DominatingShape(const Context& context);
// advice_compile.cpp
[[nodiscard]] Rule CompileBreaks(const Context& context);

}  // namespace telltale::advice
