// SPDX-License-Identifier: Apache-2.0
// Rules about memory: out_of_memory, memory_growth, fragmentation, peak_holder.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/core/sums.h"
#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kUnusedShare = 0.20;
constexpr double kHolderShare = 0.10;
// A share of less is no matter, however large.
constexpr int64_t kWorthBytes = 1 << 20;

std::string NameOfDevice(const DeviceMemory& device) {
  if (device.type == "cpu") return "the host";
  return device.id ? fmt::format("device {}", *device.id) : "the device";
}

void AddDevice(Recommendation& made, const DeviceMemory& device) {
  if (device.id && device.type != "cpu") AddEvidence(made, "device", *device.id);
}

// The device for which `value` is largest, and that value. Host memory counts where nothing else
// does.
template <typename Value>
std::pair<const DeviceMemory*, double> Largest(const std::vector<MemoryReport>& reports,
                                               const Value& value) {
  std::pair<const DeviceMemory*, double> largest = {nullptr, 0};
  for (const bool host : {false, true}) {
    for (const MemoryReport& report : reports) {
      for (const DeviceMemory& device : report.devices) {
        if ((device.type == "cpu") != host) continue;
        const double is = value(device);
        if (is > largest.second) largest = {&device, is};
      }
    }
    if (largest.first != nullptr) break;
  }
  return largest;
}

std::optional<Recommendation> FindOutOfMemory(const Facts& facts) {
  const Facts::OfEach<MemoryReport> reports = facts.Memory();
  uint64_t failures = 0;
  int64_t peak = 0;
  for (const MemoryReport& report : *reports) {
    for (const DeviceMemory& device : report.devices) {
      const uint64_t here = device.segments ? device.segments->out_of_memory_count : 0;
      failures += here;
      if (here > 0) peak = std::max(peak, device.peak_allocated_bytes);
    }
  }
  if (failures == 0) return std::nullopt;
  Recommendation made =
      Make(AdviceSeverity::kHigh,
           fmt::format("{}: the peak, {}, is what there was just before.",
                       Counted(failures, "allocation failed", "allocations failed"), Bytes(peak)),
           facts.Training() ? "Lower the batch size, checkpoint activations or shard the model "
                              "until the peak leaves room."
                            : "Take fewer requests at once, use smaller types or shard the model "
                              "until the peak leaves room.");
  AddEvidence(made, "out_of_memory", failures);
  AddEvidence(made, "peak_allocated_bytes", peak);
  return made;
}

std::optional<Recommendation> FindMemoryGrowth(const Facts& facts) {
  const Facts::OfEach<MemoryReport> reports = facts.Memory();
  int64_t bytes = 0;
  uint64_t places = 0;
  uint64_t steps = 0;
  const LeakRow* largest = nullptr;
  for (const MemoryReport& report : *reports) {
    for (const LeakRow& row : report.leaks) {
      ++places;
      AddTo(bytes, row.bytes);
      steps = std::max(steps, report.leak_steps.value_or(0));
      if (largest == nullptr || row.bytes > largest->bytes) largest = &row;
    }
  }
  if (largest == nullptr) return std::nullopt;
  const std::string where = largest->op.empty() ? "" : ", most of it by " + ShortName(largest->op);
  Recommendation made =
      Make(AdviceSeverity::kMedium,
           fmt::format("Memory grows with every step: {} in {} are never released{}.", Bytes(bytes),
                       Counted(steps, "step", "steps"), where),
           "Look for lists that keep tensors, such as losses without .item().");
  AddEvidence(made, "left_bytes", bytes);
  AddEvidence(made, "places", places);
  AddEvidence(made, "steps", steps);
  if (!largest->op.empty()) AddEvidence(made, "operator", largest->op);
  return made;
}

std::optional<Recommendation> FindFragmentation(const Facts& facts) {
  const Facts::OfEach<MemoryReport> reports = facts.Memory();
  const auto [device, share] = Largest(*reports, [](const DeviceMemory& d) {
    if (d.peak_reserved_bytes.value_or(0) <= 0 ||
        d.fragmentation_at_peak_bytes.value_or(0) < kWorthBytes) {
      return 0.0;
    }
    return static_cast<double>(d.fragmentation_at_peak_bytes.value_or(0)) /
           static_cast<double>(*d.peak_reserved_bytes);
  });
  if (device == nullptr || share <= kUnusedShare) return std::nullopt;
  Recommendation made = Make(
      AdviceSeverity::kLow,
      fmt::format("{} of what is reserved on {} is not used at the peak: {} of {}.", Share(share),
                  NameOfDevice(*device), Bytes(*device->fragmentation_at_peak_bytes),
                  Bytes(*device->peak_reserved_bytes)),
      facts.OnAmd() ? "PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:512 lowers fragmentation."
                    : "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lowers fragmentation.");
  AddDevice(made, *device);
  AddEvidence(made, "unused_bytes", *device->fragmentation_at_peak_bytes);
  AddEvidence(made, "peak_reserved_bytes", *device->peak_reserved_bytes);
  AddEvidence(made, "unused_share", share);
  return made;
}

// The operator that holds the most at the peak; what has no name is nobody's.
const MemoryShare* HolderOf(const DeviceMemory& device) {
  if (!device.at_peak || device.peak_allocated_bytes <= 0) return nullptr;
  const auto& rows = device.at_peak->by_operator;
  const auto named =
      std::ranges::find_if(rows, [](const MemoryShare& s) { return !s.name.empty(); });
  return named == rows.end() ? nullptr : &*named;
}

std::optional<Recommendation> FindPeakHolder(const Facts& facts) {
  const Facts::OfEach<MemoryReport> reports = facts.Memory();
  const auto [device, share] = Largest(*reports, [](const DeviceMemory& d) {
    const MemoryShare* holder = HolderOf(d);
    return holder == nullptr || holder->bytes < kWorthBytes
               ? 0.0
               : static_cast<double>(holder->bytes) / static_cast<double>(d.peak_allocated_bytes);
  });
  if (device == nullptr || share < kHolderShare) return std::nullopt;
  const MemoryShare& holder = *HolderOf(*device);
  Recommendation made =
      Make(AdviceSeverity::kLow,
           fmt::format("At the peak of {} {} holds {}, {} of it.", NameOfDevice(*device),
                       ShortName(holder.name), Bytes(holder.bytes), Share(share)),
           facts.Training()
               ? "If these are activations, checkpoint the module around it "
                 "(torch.utils.checkpoint); if they are temporaries, work in place or in pieces."
               : "Work in place or in pieces, and under torch.inference_mode(), so that nothing is "
                 "kept for a backward pass.");
  AddDevice(made, *device);
  AddEvidence(made, "operator", holder.name);
  AddEvidence(made, "held_bytes", holder.bytes);
  AddEvidence(made, "held_share", share);
  AddEvidence(made, "peak_allocated_bytes", device->peak_allocated_bytes);
  return made;
}

}  // namespace

Rule OutOfMemory() {
  return {.id = "out_of_memory",
          .title = "out of memory",
          .needs = "an allocator snapshot with its history",
          .threshold = "an allocation failed",
          .reason = "the run ended there, or began to free and retry",
          .views = {"memory"},
          .of_subject = FindOutOfMemory};
}

Rule MemoryGrowth() {
  return {.id = "memory_growth",
          .title = "memory grows",
          .needs = "memory events (profile_memory=True), at least 5 complete steps",
          .threshold =
              "a place in the program leaves memory behind in each of at least 3 steps (medium)",
          .reason =
              "what is left once or twice may be a cache; the first and the last step do not count",
          .views = {"memory"},
          .of_subject = FindMemoryGrowth};
}

Rule Fragmentation() {
  return {.id = "fragmentation",
          .title = "fragmentation",
          .needs = "memory events with totals (profile_memory=True)",
          .threshold = "> 20 % of the reserved memory, and 1 MiB, is not allocated at the peak",
          .reason = "the allocator rounds up and keeps some of it in reserve for good reason",
          .views = {"memory"},
          .of_subject = FindFragmentation};
}

Rule PeakHolder() {
  return {.id = "peak_holder",
          .title = "who holds the peak",
          .needs = "memory events with addresses (profile_memory=True), operators",
          .threshold =
              "one operator's blocks are >= 10 % of the memory allocated at the peak, and 1 MiB",
          .reason = "doing away with less would lower the peak by less than a tenth",
          .views = {"memory"},
          .of_subject = FindPeakHolder};
}

}  // namespace telltale::health
