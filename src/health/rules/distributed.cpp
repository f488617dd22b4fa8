// SPDX-License-Identifier: Apache-2.0
// Rules about training on several devices: data_parallel, nccl_backend.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/core/sums.h"
#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

struct CommunicationKernels {
  uint64_t calls = 0;
  int64_t total_ns = 0;
  const KernelRow* largest = nullptr;
};

CommunicationKernels FindCommunicationKernels(const RankFacts& context) {
  CommunicationKernels found;
  for (const KernelRow& kernel : context.report.kernels) {
    if (kernel.kind != KernelKind::kCommunication) continue;
    found.calls += kernel.calls;
    AddTo(found.total_ns, kernel.total_ns);
    if (found.largest == nullptr || kernel.total_ns > found.largest->total_ns)
      found.largest = &kernel;
  }
  return found;
}

SpanRow LongestOf(const RankFacts& context, const std::vector<NodeId>& nodes) {
  const auto& durations = context.trace.spans.duration_ns;
  SpanRow longest = kNoRow;
  for (NodeId node : nodes) {
    const SpanRow row = context.tree.span[node];
    if (longest == kNoRow || durations[row] > durations[longest]) longest = row;
  }
  return longest;
}

uint64_t BusyDevices(const RankFacts& context) {
  return static_cast<uint64_t>(
      std::count_if(context.report.devices.begin(), context.report.devices.end(),
                    [](const DeviceRow& device) { return device.kernel_count >= kFewestEvents; }));
}

// NCCL needs compute capability 3.5; where the capture does not say, the GPU is taken to be newer.
bool CanUseNccl(const DeviceRow& device) {
  if (device.kernel_count < kFewestEvents) return false;
  if (device.type == "hip") return true;
  if (device.type != "cuda") return false;
  const std::string& capability = device.compute_capability;
  const bool old = capability.starts_with("1.") || capability.starts_with("2.") ||
                   capability == "3.0" || capability == "3.2";
  return !old;
}

std::optional<Recommendation> FindDataParallel(const RankFacts& context) {
  const uint64_t devices = BusyDevices(context);
  if (context.data_parallel_forwards.empty() || devices < 2) return std::nullopt;
  const std::string finding = fmt::format(
      "torch.nn.DataParallel drives {} devices from one Python process ({} forward calls): it "
      "copies the "
      "model to every device in each step and shares one interpreter.",
      devices, context.data_parallel_forwards.size());
  const std::string remedy =
      "Use torch.nn.parallel.DistributedDataParallel with one process per device (torchrun), also "
      "on a "
      "single machine.";
  Recommendation made = Make(AdviceSeverity::kMedium, finding, remedy);
  AddEvidence(made, "forward_calls", context.data_parallel_forwards.size());
  AddEvidence(made, "devices", devices);
  AddExample(made, context.trace, context.tree.span[context.data_parallel_forwards.front()]);
  return made;
}

std::optional<Recommendation> FindNcclBackend(const RankFacts& context) {
  if (context.distributed_forwards.empty()) return std::nullopt;
  const auto& devices = context.report.devices;
  if (std::none_of(devices.begin(), devices.end(), CanUseNccl)) return std::nullopt;
  // The trace must show another backend at work, and no sign of NCCL: kernels, ranges of any
  // collective, or the name in distributedInfo (which may list several, "cpu:gloo,cuda:nccl").
  const std::string& backend = context.trace.distributed.backend;
  const bool nccl = backend.find("nccl") != std::string::npos || !context.nccl_ranges.empty() ||
                    FindCommunicationKernels(context).calls > 0;
  const uint64_t ranges = context.other_communication_ranges.size();
  if (nccl || ranges < kFewestEvents) return std::nullopt;

  const std::string name =
      backend.empty() ? "another backend than NCCL" : fmt::format("the {} backend", backend);
  const std::string finding = fmt::format(
      "Distributed training on GPUs communicates through {}: {} collectives, none by NCCL. "
      "Gradients "
      "take the way over host memory.",
      name, ranges);
  const std::string remedy =
      context.on_amd()
          ? "Initialise the process group with backend=\"nccl\" (on ROCm that is RCCL)."
          : "Initialise the process group with backend=\"nccl\".";
  Recommendation made = Make(AdviceSeverity::kHigh, finding, remedy);
  if (!backend.empty()) AddEvidence(made, "backend", backend);
  AddEvidence(made, "collectives", ranges);
  AddExample(made, context.trace, LongestOf(context, context.other_communication_ranges));
  return made;
}

}  // namespace

Rule DataParallel() {
  return {
      .id = "data_parallel",
      .title = "data parallel",
      .needs = "DataParallel.forward ranges, kernels",
      .threshold = "DataParallel.forward seen, and at least 10 kernels on each of several devices",
      .reason = "it is slower than DistributedDataParallel on any number of devices",
      .views = {"overview", "distributed"},
      .of_rank = FindDataParallel};
}

Rule NcclBackend() {
  return {.id = "nccl_backend",
          .title = "NCCL backend",
          .needs = "DDP or FSDP ranges, kernels",
          .threshold =
              "DistributedDataParallel or FullyShardedDataParallel on CUDA or ROCm devices, at "
              "least 10 collectives of another backend, no sign of NCCL",
          .reason = "other backends take gradients over host memory",
          .views = {"overview", "distributed"},
          .of_rank = FindNcclBackend};
}

}  // namespace telltale::health
