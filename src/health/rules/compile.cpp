// SPDX-License-Identifier: Apache-2.0
// The rule compile_breaks: models cut into many compiled pieces. A compiled region is named
// "Torch-Compiled Region: FRAME/VARIANT": each graph break starts a new frame, each recompilation
// of a frame a new variant.
#include <fmt/format.h>

#include <charconv>
#include <set>
#include <unordered_map>
#include <utility>

#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr uint64_t kManyFrames = 5;
constexpr uint64_t kVeryManyFrames = 20;
constexpr double kRegionsPerStep = 10;
// Where torch gives up recompiling a frame by default and runs it uncompiled.
constexpr int kRecompileLimit = 8;

struct Region {
  int frame = -1;
  int variant = 0;
};

Region ParseRegion(std::string_view name) {
  Region region;
  const size_t colon = name.find(": ");
  if (colon == name.npos) return region;
  const char* const end = name.data() + name.size();
  const auto [after, error] = std::from_chars(name.data() + colon + 2, end, region.frame);
  if (error != std::errc()) return {};
  if (after != end && *after == '/') std::from_chars(after + 1, end, region.variant);
  return region;
}

struct RegionFacts {
  explicit RegionFacts(const RankFacts& context) : per_step(context) {}
  PerStep per_step;
  std::set<int> frames;
  std::set<std::pair<int, int>> recompiled;
  int highest_variant = 0;
  SpanRow first = kNoRow;
};

RegionFacts FindRegions(const RankFacts& context) {
  RegionFacts facts(context);
  std::unordered_map<uint32_t, Region> known;  // by name
  for (NodeId node : context.compiled_regions) {
    const SpanRow row = context.tree.span[node];
    auto [at, is_new] = known.try_emplace(static_cast<uint32_t>(context.trace.spans.name[row]));
    if (is_new) at->second = ParseRegion(context.NameOfNode(node));
    const Region region = at->second;
    if (!facts.per_step.Add(context, row)) continue;
    if (facts.first == kNoRow) facts.first = row;
    if (region.frame < 0) continue;
    facts.frames.insert(region.frame);
    if (region.variant > 0) facts.recompiled.insert({region.frame, region.variant});
    facts.highest_variant = std::max(facts.highest_variant, region.variant);
  }
  return facts;
}

std::optional<Recommendation> FindCompileBreaks(const RankFacts& context) {
  if (context.steps.empty() || context.compiled_regions.empty()) return std::nullopt;
  const RegionFacts regions = FindRegions(context);
  if (regions.frames.size() < kManyFrames || regions.per_step.count < kFewestEvents ||
      regions.per_step.CountPerStep() < kRegionsPerStep) {
    return std::nullopt;
  }
  // The first call may well be in a trace without steps.
  const bool gave_up = regions.highest_variant >= kRecompileLimit;
  const AdviceSeverity severity = context.whole_trace ? AdviceSeverity::kLow
                                  : gave_up           ? AdviceSeverity::kHigh
                                  : regions.frames.size() >= kVeryManyFrames
                                      ? AdviceSeverity::kMedium
                                      : AdviceSeverity::kLow;
  Recommendation made = Make(
      severity,
      fmt::format(
          "The compiled model runs in {} pieces per {} ({} different frames), which suggests graph "
          "breaks: between the pieces operators run one by one.",
          Average(regions.per_step.CountPerStep()), context.whole_trace ? "trace" : "step",
          regions.frames.size()),
      "TORCH_LOGS=graph_breaks shows where the graph breaks and why; fullgraph=True makes them "
      "errors.");
  AddEvidence(made, "regions_per_step", regions.per_step.CountPerStep());
  AddEvidence(made, "frames", static_cast<uint64_t>(regions.frames.size()));
  AddEvidence(made, "recompiled_regions", static_cast<uint64_t>(regions.recompiled.size()));
  AddWorstStep(made, regions.per_step.WorstStep(context));
  AddExample(made, context.trace, regions.first);
  return made;
}

}  // namespace

Rule CompileBreaks() {
  return {.id = "compile_breaks",
          .title = "compile breaks",
          .needs = "ranges of torch.compile",
          .threshold =
              "at least 5 different compiled frames in at least 10 pieces per step (medium: 20 "
              "frames; high: a frame recompiled 8 times)",
          .reason =
              "8 is where torch gives up recompiling a frame; a model without breaks is one frame "
              "or a few",
          .views = {"overview"},
          .of_rank = FindCompileBreaks};
}

}  // namespace telltale::health
