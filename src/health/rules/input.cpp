// SPDX-License-Identifier: Apache-2.0
// Rules about data on its way to the device: dataloader_wait, host_device_copies, pageable_copies.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analysis/core/sums.h"
#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kLoaderShare = 0.05;
constexpr double kLoaderHighShare = 0.20;

constexpr double kCopiesPerStep = 20;
constexpr double kCopyShare = 0.05;
constexpr double kCopyHighShare = 0.20;

constexpr double kPageableShare = 0.01;
constexpr double kPageableMediumShare = 0.05;
constexpr double kPageableHighShare = 0.10;

struct LoaderFacts {
  uint64_t ranges = 0;
  bool single_process = false;
  SpanRow longest = kNoRow;
};

LoaderFacts FindLoaderFacts(const RankFacts& context) {
  LoaderFacts facts;
  for (NodeId node : context.loader_ranges) {
    const SpanRow row = context.tree.span[node];
    if (context.StepAt(context.trace.spans.start_ns[row]) == RankFacts::kNoStep) continue;
    ++facts.ranges;
    const std::string_view name = context.NameOfNode(node);
    facts.single_process |= name.find("_SingleProcess") != name.npos;
    const auto& durations = context.trace.spans.duration_ns;
    if (facts.longest == kNoRow || durations[row] > durations[facts.longest]) facts.longest = row;
  }
  return facts;
}

enum class Direction : uint8_t { kOther, kToDevice, kToHost };

// "Memcpy HtoD (Pageable -> Device)"; early ROCm writes CopyHostToDevice.
Direction DirectionOf(std::string_view name) {
  auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (has("HtoD") || has("HostToDevice")) return Direction::kToDevice;
  if (has("DtoH") || has("DeviceToHost")) return Direction::kToHost;
  return Direction::kOther;
}

struct CopyFacts {
  explicit CopyFacts(const RankFacts& context) : per_step(context) {}
  PerStep per_step;
  uint64_t to_device = 0;
  uint64_t to_host = 0;
  int64_t bytes = kNoInt;
  SpanRow longest = kNoRow;
};

CopyFacts FindCopies(const RankFacts& context) {
  CopyFacts facts(context);
  std::unordered_map<uint32_t, Direction> directions;  // by name: a handful
  for (SpanRow row : context.links.device) {
    if (context.trace.spans.category[row] != Category::kMemcpy) continue;
    auto [known, is_new] = directions.try_emplace(
        static_cast<uint32_t>(context.trace.spans.name[row]), Direction::kOther);
    if (is_new) known->second = DirectionOf(context.trace.NameOfSpan(row));
    if (known->second == Direction::kOther || !facts.per_step.Add(context, row)) continue;
    ++(known->second == Direction::kToDevice ? facts.to_device : facts.to_host);
    const DeviceDetail* detail = context.trace.DeviceOf(row);
    if (detail != nullptr && detail->bytes != kNoInt) {
      if (facts.bytes == kNoInt) facts.bytes = 0;
      AddTo(facts.bytes, detail->bytes);
    }
    const auto& durations = context.trace.spans.duration_ns;
    if (facts.longest == kNoRow || durations[row] > durations[facts.longest]) facts.longest = row;
  }
  return facts;
}

std::optional<Recommendation> FindDataloaderWait(const RankFacts& context) {
  const double share = context.ShareOfStep(StepCategory::kDataloader);
  if (share <= kLoaderShare) return std::nullopt;
  const LoaderFacts facts = FindLoaderFacts(context);
  if (facts.ranges < kFewestEvents && context.steps.size() < kFewestSteps) return std::nullopt;

  const auto average = static_cast<int64_t>(context.Average(StepCategory::kDataloader));
  const std::string per = context.whole_trace ? "the trace" : "an average step";
  const std::string finding =
      fmt::format("Waiting for input takes {} of {}: {} of {} go to the DataLoader{}.",
                  Share(share), per, Duration(average), Duration(context.report.steps.average_ns),
                  context.has_device_events() ? " while nothing runs on the device" : "");
  const std::string remedy =
      facts.single_process
          ? "The DataLoader works in the training process (num_workers=0): set num_workers to a "
            "few "
            "workers so that batches are prepared while the model runs, and move decoding and "
            "augmentation out of the loop."
          : "Raise num_workers or prefetch_factor, keep persistent_workers=True, and look for slow "
            "decoding, augmentation or storage: the workers do not keep up.";
  Recommendation made = Make(
      share > kLoaderHighShare ? AdviceSeverity::kHigh : AdviceSeverity::kMedium, finding, remedy);
  AddEvidence(made, "dataloader_ns", average);
  AddEvidence(made, "step_ns", context.report.steps.average_ns);
  AddEvidence(made, "dataloader_share", share);
  AddEvidence(made, "loader_ranges", facts.ranges);
  AddWorstStep(made, WorstStep(context, StepCategory::kDataloader));
  AddExample(made, context.trace, facts.longest);
  return made;
}

std::optional<Recommendation> FindHostDeviceCopies(const RankFacts& context) {
  if (context.steps.empty()) return std::nullopt;
  const CopyFacts facts = FindCopies(context);
  if (facts.per_step.count < kFewestEvents) return std::nullopt;
  const double per_step = facts.per_step.CountPerStep();
  const double share = facts.per_step.Share(context);
  const bool many = !context.whole_trace && per_step > kCopiesPerStep;
  if (!many && share < kCopyShare) return std::nullopt;

  const auto steps = static_cast<int64_t>(context.steps.size());
  const std::string volume =
      facts.bytes == kNoInt ? "" : fmt::format(", {}", Bytes(facts.bytes / steps));
  const std::string finding = fmt::format(
      "{} copies between host and device per {} ({} to the device, {} to the host over {}) take {} "
      "of its "
      "time ({}{}).",
      Average(per_step), context.whole_trace ? "trace" : "step", facts.to_device, facts.to_host,
      context.whole_trace ? "the trace" : fmt::format("{} step{}", steps, steps == 1 ? "" : "s"),
      Share(share), Duration(facts.per_step.total_ns / steps), volume);
  const std::string remedy =
      "Keep values on the device between operators, create tensors there (device=…) instead of "
      "moving "
      "them, and join small copies into one.";
  Recommendation made = Make(share >= kCopyHighShare ? AdviceSeverity::kHigh
                             : share >= kCopyShare   ? AdviceSeverity::kMedium
                                                     : AdviceSeverity::kLow,
                             finding, remedy);
  AddEvidence(made, "copies_per_step", per_step);
  AddEvidence(made, "copies_to_device", facts.to_device);
  AddEvidence(made, "copies_to_host", facts.to_host);
  AddEvidence(made, "copy_ns", facts.per_step.total_ns);
  AddEvidence(made, "copy_share", share);
  if (facts.bytes != kNoInt) AddEvidence(made, "copy_bytes", facts.bytes);
  AddWorstStep(made, facts.per_step.WorstStep(context));
  AddExample(made, context.trace, facts.longest);
  return made;
}

// The longest copy whose name is one of the pageable rows'.
SpanRow LongestPageable(const RankFacts& context) {
  SpanRow longest = kNoRow;
  const auto& spans = context.trace.spans;
  std::unordered_map<uint32_t, bool> pageable;  // by name: a handful
  for (SpanRow row : context.links.device) {
    if (spans.category[row] != Category::kMemcpy) continue;
    auto [known, is_new] = pageable.try_emplace(static_cast<uint32_t>(spans.name[row]), false);
    if (is_new)
      known->second = context.trace.NameOfSpan(row).find("Pageable") != std::string_view::npos;
    if (!known->second) continue;
    if (longest == kNoRow || spans.duration_ns[row] > spans.duration_ns[longest]) longest = row;
  }
  return longest;
}

std::optional<Recommendation> FindPageableCopies(const RankFacts& context) {
  uint64_t calls = 0;
  int64_t total_ns = 0;
  std::optional<int64_t> bytes;
  for (const CopyRow& copy : context.report.copies) {
    const bool across = copy.direction == "HtoD" || copy.direction == "DtoH";
    if (!across || !copy.pageable.value_or(false)) continue;
    calls += copy.calls;
    AddTo(total_ns, copy.total_ns);
    if (copy.bytes) {
      if (!bytes) bytes = 0;
      AddTo(*bytes, *copy.bytes);
    }
  }
  int64_t window_ns = 0;
  for (const StepRow& step : context.report.steps.rows) AddTo(window_ns, step.duration_ns);
  if (calls < kFewestEvents || window_ns <= 0) return std::nullopt;
  const double share = static_cast<double>(total_ns) / static_cast<double>(window_ns);
  if (share < kPageableShare) return std::nullopt;

  const std::string volume = bytes ? fmt::format(" of {}", Bytes(*bytes)) : "";
  const std::string finding = fmt::format(
      "{} copies{} between host and device use pageable memory and take {} ({} of the steps); they "
      "are slow "
      "and make the host wait.",
      calls, volume, Duration(total_ns), Share(share));
  const std::string remedy =
      "Use pinned memory: pin_memory=True on the DataLoader (or tensor.pin_memory()) and "
      ".to(device, non_blocking=True).";
  Recommendation made = Make(share >= kPageableHighShare     ? AdviceSeverity::kHigh
                             : share >= kPageableMediumShare ? AdviceSeverity::kMedium
                                                             : AdviceSeverity::kLow,
                             finding, remedy);
  AddEvidence(made, "pageable_copies", calls);
  AddEvidence(made, "pageable_ns", total_ns);
  AddEvidence(made, "pageable_share", share);
  if (bytes) AddEvidence(made, "pageable_bytes", *bytes);
  AddExample(made, context.trace, LongestPageable(context));
  return made;
}

}  // namespace

Rule DataloaderWait() {
  return {.id = "dataloader_wait",
          .title = "DataLoader wait",
          .needs = "DataLoader ranges and steps",
          .threshold = "DataLoader > 5 % of the average step (high: > 20 %)",
          .reason =
              "below, a perfect loader would hardly be noticed; above a fifth it is the first "
              "thing to mend",
          .views = {"overview", "idle"},
          .of_rank = FindDataloaderWait};
}

Rule HostDeviceCopies() {
  return {.id = "host_device_copies",
          .title = "host device copies",
          .needs = "steps, and the direction of copies",
          .threshold =
              "more than 20 copies between host and device per step, or copying >= 5 % of the "
              "steps' time (medium: >= 5 %, high: >= 20 %)",
          .reason =
              "a step needs its batch and its loss, so a score of copies are values going back and "
              "forth",
          .views = {"overview"},
          .of_rank = FindHostDeviceCopies};
}

Rule PageableCopies() {
  return {.id = "pageable_copies",
          .title = "pageable copies",
          .needs = "copies that say which host memory they used (CUDA)",
          .threshold =
              "at least 10 copies with pageable host memory that take >= 1 % of the steps' time "
              "(medium: >= 5 %, high: >= 10 %)",
          .reason = "the remedy is one argument, so that a hundredth is worth it",
          .views = {"overview"},
          .of_rank = FindPageableCopies};
}

}  // namespace telltale::health
