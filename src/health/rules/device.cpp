// SPDX-License-Identifier: Apache-2.0
// Rules about what the device does with its units and memory: tensor_cores, memory_limit.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/core/sums.h"
#include "analysis/core/tensor_core.h"
#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kEligibleShare = 0.10;
constexpr double kEligibleMediumShare = 0.20;
constexpr double kBarelyUsed = 0.10;

constexpr double kMemoryShare = 0.90;
constexpr double kMemoryHighShare = 0.95;

int MajorOf(const DeviceRow& device) {
  int major = 0;
  for (char c : device.compute_capability) {
    if (c < '0' || c > '9' || major > 1000) break;
    major = 10 * major + (c - '0');
  }
  return major;
}

// Tensor cores came with compute capability 7.0. Of AMD's GPUs the Instinct MI100 and later have
// MFMA (gfx942 reports 9.4) and RDNA 3 (gfx11) has WMMA; 9.0 alone may be an old Vega.
bool HasMatrixCores(const DeviceRow& device) {
  if (device.type == "cuda") return MajorOf(device) >= 7;
  if (device.type != "hip") return false;
  const bool instinct = device.name.find("Instinct MI1") != std::string::npos ||
                        device.name.find("Instinct MI2") != std::string::npos ||
                        device.name.find("Instinct MI3") != std::string::npos;
  return instinct || device.compute_capability == "9.4" || device.compute_capability == "9.5" ||
         MajorOf(device) >= 11;
}

enum class InputType : uint8_t { kUnknown, kFloat, kDouble, kHalf };

// The element type of the first tensor in the captured JSON list: ["float","float"].
InputType TypeOf(std::string_view types) {
  const size_t half = std::min(types.find("c10::Half"), types.find("c10::BFloat16"));
  const size_t single = types.find("\"float\"");
  const size_t twice = types.find("\"double\"");
  const size_t first = std::min({half, single, twice});
  if (first == types.npos) return InputType::kUnknown;
  return first == half     ? InputType::kHalf
         : first == single ? InputType::kFloat
                           : InputType::kDouble;
}

// The commonest input type of the operators that tensor cores could serve.
InputType CommonInputType(const RankFacts& context) {
  std::array<uint64_t, 4> counts = {};
  std::vector<uint8_t> eligible(context.trace.strings.size(), 2);  // by name: 2 not looked at yet
  for (NodeId node = 0; node < context.tree.size(); ++node) {
    const SpanRow row = context.tree.span[node];
    const OperatorDetail* detail = context.trace.OperatorOf(row);
    if (detail == nullptr || detail->input_types == kNoString) continue;
    const auto name = static_cast<size_t>(context.trace.spans.name[row]);
    if (name >= eligible.size()) continue;
    if (eligible[name] == 2)
      eligible[name] = IsTensorCoreEligible(context.trace.NameOfSpan(row)) ? 1 : 0;
    if (eligible[name] == 1) {
      ++counts[static_cast<size_t>(TypeOf(context.trace.Text(detail->input_types)))];
    }
  }
  counts[static_cast<size_t>(InputType::kUnknown)] = 0;
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? InputType::kUnknown : static_cast<InputType>(most - counts.begin());
}

struct Eligible {
  uint64_t calls = 0;
  int64_t device_ns = 0;
  int64_t on_tensor_cores_ns = 0;
  const OperatorRow* largest = nullptr;
};

Eligible FindEligible(const RankFacts& context) {
  Eligible found;
  for (const OperatorRow& row : context.report.operators) {
    if (!row.tensor_core_eligible || row.device_self_ns <= 0) continue;
    found.calls += row.calls;
    AddTo(found.device_ns, row.device_self_ns);
    AddTo(found.on_tensor_cores_ns, row.tensor_core_self_ns);
    if (found.largest == nullptr || row.device_self_ns > found.largest->device_self_ns)
      found.largest = &row;
  }
  return found;
}

SpanRow FirstCall(const RankFacts& context, std::string_view operator_name) {
  const StringId name = context.trace.strings.Find(operator_name);
  if (name == kNoString) return kNoRow;
  for (NodeId node = 0; node < context.tree.size(); ++node) {
    if (context.trace.spans.name[context.tree.span[node]] == name) return context.tree.span[node];
  }
  return kNoRow;
}

std::string PrecisionRemedy(const RankFacts& context, const DeviceRow& device, InputType type) {
  if (type == InputType::kHalf) {
    return "The inputs are FP16 or BF16 already, so look at the shapes: dimensions that are "
           "multiples of 8 "
           "(16 for FP8 and INT8) can use these units.";
  }
  if (type == InputType::kDouble) {
    return "The inputs are FP64: use FP32 or lower precision where the model allows it.";
  }
  if (context.on_amd()) {
    return "Use mixed precision: torch.autocast(\"cuda\", dtype=torch.bfloat16), the device's name "
           "in ROCm "
           "builds too.";
  }
  if (MajorOf(device) < 8) {
    return "Use mixed precision: torch.autocast(\"cuda\", dtype=torch.float16) with a GradScaler.";
  }
  return "Use mixed precision, torch.autocast(\"cuda\", dtype=torch.bfloat16), or allow TF32 for "
         "FP32 "
         "products, torch.set_float32_matmul_precision(\"high\").";
}

struct MemoryPeak {
  const DeviceRow* device = nullptr;
  uint64_t events = 0;
  int64_t allocated = 0;
  int64_t reserved = 0;
  int64_t time_ns = 0;
  uint64_t offset = 0;
  [[nodiscard]] double Share() const {
    return static_cast<double>(allocated) / static_cast<double>(*device->memory_bytes);
  }
};

// torch's DeviceType: 0 is the CPU, whose "device" is the host's memory.
constexpr int16_t kCpuDeviceType = 0;

std::vector<MemoryPeak> FindMemoryPeaks(const RankFacts& context) {
  std::vector<MemoryPeak> peaks;
  for (const DeviceRow& device : context.report.devices) {
    if (device.memory_bytes.value_or(0) > 0) peaks.push_back({.device = &device});
  }
  const MemoryTable& memory = context.trace.memory;
  for (size_t i = 0; i < memory.size(); ++i) {
    if (memory.device_type[i] <= kCpuDeviceType || memory.total_allocated[i] == kNoInt) continue;
    for (MemoryPeak& peak : peaks) {
      if (peak.device->id != memory.device_id[i]) continue;
      ++peak.events;
      if (memory.total_reserved[i] != kNoInt) {
        peak.reserved = std::max(peak.reserved, memory.total_reserved[i]);
      }
      if (memory.total_allocated[i] > peak.allocated) {
        peak.allocated = memory.total_allocated[i];
        peak.time_ns = memory.time_ns[i];
        peak.offset = memory.offset[i];
      }
    }
  }
  return peaks;
}

std::optional<Recommendation> FindTensorCores(const RankFacts& context) {
  const auto& devices = context.report.devices;
  const auto able = std::find_if(devices.begin(), devices.end(), [](const DeviceRow& device) {
    return device.kernel_count >= kFewestEvents && HasMatrixCores(device);
  });
  const int64_t kernel_ns = context.report.kernel_total_ns;
  if (able == devices.end() || kernel_ns <= 0) return std::nullopt;
  const Eligible eligible = FindEligible(context);
  if (eligible.calls < kFewestEvents) return std::nullopt;
  const double share =
      std::min(1.0, static_cast<double>(eligible.device_ns) / static_cast<double>(kernel_ns));
  const double used =
      static_cast<double>(eligible.on_tensor_cores_ns) / static_cast<double>(eligible.device_ns);
  if (share < kEligibleShare || used >= kBarelyUsed) return std::nullopt;

  const std::string units = context.on_amd() ? "matrix cores" : "tensor cores";
  const std::string finding = fmt::format(
      "{} of the kernel time ({}) is in operators that could run on {}, {} above all, and {} of "
      "that time uses them.",
      Share(share), Duration(eligible.device_ns), units, eligible.largest->name,
      used > 0 ? "only " + Share(used) : "none");
  const AdviceSeverity severity =
      share >= kEligibleMediumShare ? AdviceSeverity::kMedium : AdviceSeverity::kLow;
  Recommendation made =
      Make(severity, finding, PrecisionRemedy(context, *able, CommonInputType(context)));
  AddEvidence(made, "eligible_ns", eligible.device_ns);
  AddEvidence(made, "eligible_share", share);
  AddEvidence(made, "tensor_core_ns", eligible.on_tensor_cores_ns);
  AddEvidence(made, "tensor_core_share", used);
  AddEvidence(made, "largest_operator", eligible.largest->name);
  AddExample(made, context.trace, FirstCall(context, eligible.largest->name));
  return made;
}

std::optional<Recommendation> FindMemoryLimit(const RankFacts& context) {
  const std::vector<MemoryPeak> peaks = FindMemoryPeaks(context);
  const MemoryPeak* worst = nullptr;
  std::string devices;
  for (const MemoryPeak& peak : peaks) {
    if (peak.events < kFewestEvents || peak.Share() <= kMemoryShare) continue;
    if (worst == nullptr || peak.Share() > worst->Share()) worst = &peak;
    if (!devices.empty()) devices += ", ";
    devices += fmt::format("{} of {} ({}) on device {}", Bytes(peak.allocated),
                           Bytes(*peak.device->memory_bytes), Share(peak.Share()), peak.device->id);
  }
  if (worst == nullptr) return std::nullopt;
  int64_t time = worst->time_ns;
  AddTo(time, context.trace.base_time_ns);
  const std::string finding =
      fmt::format("Device memory is close to its limit: at the peak {} is allocated.", devices);
  const std::string remedy = fmt::format(
      "{} a little more and the allocator must free its cache or fail.",
      context.training ? "Before raising the batch size use activation checkpointing, mixed "
                         "precision, or a sharded optimizer;"
                       : "Before taking more requests at once use 16-bit or quantised weights, a "
                         "smaller cache, or more devices;");
  Recommendation made =
      Make(worst->Share() > kMemoryHighShare ? AdviceSeverity::kHigh : AdviceSeverity::kMedium,
           finding, remedy);
  AddEvidence(made, "device", worst->device->id);
  AddEvidence(made, "peak_allocated_bytes", worst->allocated);
  AddEvidence(made, "peak_reserved_bytes", worst->reserved);
  AddEvidence(made, "memory_bytes", *worst->device->memory_bytes);
  AddEvidence(made, "memory_share", worst->Share());
  AddEvidence(made, "example_name", std::string("[memory]"));
  AddEvidence(made, "example_start_ns", time);
  AddEvidence(made, "example_offset", worst->offset);
  return made;
}

}  // namespace

Rule TensorCores() {
  return {
      .id = "tensor_cores",
      .title = "tensor cores",
      .needs = "operators with kernels, the device's compute capability or name",
      .threshold =
          "operators that tensor or matrix cores could serve take >= 10 % of the kernel time "
          "(medium: >= 20 %), and less than 10 % of that runs on them",
      .reason = "a few kernels without them are normal; nine tenths mean that they are not in use",
      .views = {"overview", "roofline"},
      .of_rank = FindTensorCores};
}

Rule MemoryLimit() {
  return {.id = "memory_limit",
          .title = "memory limit",
          .needs = "memory events with totals (profile_memory=True), the device's memory",
          .threshold = "peak allocated memory > 90 % of the device's (high: > 95 %)",
          .reason = "a tenth is what fragmentation and libraries commonly need",
          .views = {"overview", "memory"},
          .of_rank = FindMemoryLimit};
}

}  // namespace telltale::health
