// SPDX-License-Identifier: Apache-2.0
// What the rules of one rank share: a look at its trace made once. Every rule returns nothing where
// the capture lacks what it needs, and none speaks on fewer than kFewestEvents events of its kind,
// unless the steps' own times are the evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/work/report.h"
#include "health/evidence.h"
#include "health/recommendation.h"
#include "model/trace.h"

namespace telltale::health {

constexpr uint64_t kFewestEvents = 10;
constexpr uint64_t kFewestSteps = 2;

struct StepWindow {
  int64_t start_ns = 0;  // as written in the file
  int64_t end_ns = 0;
  size_t row = 0;  // of report.steps.rows
};

struct RankFacts {
  const Trace& trace;
  const HostTree& tree;
  const DeviceLinks& links;
  const NameFacts& facts;
  const ProfileReport& report;

  std::vector<StepWindow> steps = {};  // the complete ones, in order of time
  int64_t steps_ns = 0;                // sum of their durations
  bool training = false;               // it has a backward pass or an optimizer
  bool whole_trace = false;            // there is no step: the trace counts as one
  // Of the devices that ran kernels: "cuda", "hip" …; empty: no device or several types.
  std::string device_type = {};

  // Host events that some rule asks for.
  std::vector<NodeId> data_parallel_forwards = {};
  std::vector<NodeId> distributed_forwards =
      {};  // DistributedDataParallel and FullyShardedDataParallel
  std::vector<NodeId> nccl_ranges = {};
  std::vector<NodeId> other_communication_ranges = {};  // gloo, mpi …
  std::vector<NodeId> compiled_regions = {};  // Torch-Compiled Region: frame/recompilation

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
};

[[nodiscard]] RankFacts MakeRankFacts(const TraceContext& context, const ProfileReport& report);

// Events of one kind inside the complete steps.
struct PerStep {
  uint64_t count = 0;
  int64_t total_ns = 0;
  std::vector<int64_t> step_ns;  // by index into RankFacts::steps

  explicit PerStep(const RankFacts& context) : step_ns(context.steps.size()) {}
  // False if the event lies in no complete step.
  bool Add(const RankFacts& context, SpanRow row);
  [[nodiscard]] double CountPerStep() const;
  [[nodiscard]] double Share(const RankFacts& context) const;  // of the steps' time
  // Name of the step with the most of it; empty if there is none.
  [[nodiscard]] std::string WorstStep(const RankFacts& context) const;
};

// The step in which the category takes the largest share.
[[nodiscard]] std::string WorstStep(const RankFacts& context, StepCategory category);

}  // namespace telltale::health
