// SPDX-License-Identifier: Apache-2.0
// The rule compile_breaks: torch.compile at work inside the profiled steps, and models cut into
// many compiled pieces. A compiled region is named "Torch-Compiled Region: FRAME/VARIANT": each
// graph break starts a new frame, each recompilation of a frame a new variant.
#include <fmt/format.h>

#include <charconv>
#include <set>
#include <unordered_map>
#include <utility>

#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kCompileShare = 0.05;
constexpr double kCompileHighShare = 0.20;
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

struct CompileFacts {
  explicit CompileFacts(const RankFacts& context) : per_step(context) {}
  PerStep per_step;
  SpanRow longest = kNoRow;
};

// Phases nest: only the outermost one counts.
CompileFacts FindCompilations(const RankFacts& context) {
  CompileFacts facts(context);
  std::vector<uint8_t> compiling(context.compile_ranges.empty() ? 0 : context.tree.size());
  for (NodeId node : context.compile_ranges) compiling[node] = 1;
  const auto& durations = context.trace.spans.duration_ns;
  for (NodeId node : context.compile_ranges) {
    NodeId up = context.tree.EffectiveParent(node);
    while (up != kNoRow && compiling[up] == 0) up = context.tree.EffectiveParent(up);
    const SpanRow row = context.tree.span[node];
    if (up != kNoRow || !facts.per_step.Add(context, row)) continue;
    if (facts.longest == kNoRow || durations[row] > durations[facts.longest]) facts.longest = row;
  }
  return facts;
}

AdviceSeverity Severity(const RankFacts& context, bool compiles, double share,
                        const RegionFacts& regions) {
  const bool gave_up = regions.highest_variant >= kRecompileLimit;
  if (context.whole_trace) return AdviceSeverity::kLow;  // the first call may well be in the trace
  if ((compiles && share >= kCompileHighShare) || gave_up) return AdviceSeverity::kHigh;
  return compiles || regions.frames.size() >= kVeryManyFrames ? AdviceSeverity::kMedium
                                                              : AdviceSeverity::kLow;
}

std::optional<Recommendation> FindCompileBreaks(const RankFacts& context) {
  if (context.steps.empty() ||
      (context.compiled_regions.empty() && context.compile_ranges.empty())) {
    return std::nullopt;
  }
  const CompileFacts compilations = FindCompilations(context);
  const RegionFacts regions = FindRegions(context);
  const double share = compilations.per_step.Share(context);
  const bool compiles = share >= kCompileShare && context.compile_ranges.size() >= kFewestEvents;
  const bool many_pieces = regions.frames.size() >= kManyFrames &&
                           regions.per_step.count >= kFewestEvents &&
                           regions.per_step.CountPerStep() >= kRegionsPerStep;
  if (!compiles && !many_pieces) return std::nullopt;

  const std::string where = context.whole_trace ? "the trace" : "the profiled steps";
  std::string finding;
  std::string remedy;
  if (compiles) {
    finding = fmt::format(
        "torch.compile is at work inside {}: {} compilations take {}, {} of the time", where,
        compilations.per_step.count, Duration(compilations.per_step.total_ns), Share(share));
    if (!regions.recompiled.empty()) {
      finding += fmt::format(", and {} regions run in a recompiled variant (up to number {})",
                             regions.recompiled.size(), regions.highest_variant);
    }
    finding += ".";
    remedy =
        "Profile after warm-up; if it goes on, TORCH_LOGS=recompiles names the guard that failed: "
        "mark "
        "changing dimensions dynamic (mark_dynamic, dynamic=True) and keep Python values out of "
        "the graph.";
  }
  if (many_pieces) {
    if (!finding.empty()) finding += " ";
    finding += fmt::format(
        "The compiled model runs in {} pieces per {} ({} different frames), which suggests graph "
        "breaks: between the pieces operators run one by one.",
        Average(regions.per_step.CountPerStep()), context.whole_trace ? "trace" : "step",
        regions.frames.size());
    if (!remedy.empty()) remedy += " ";
    remedy +=
        "TORCH_LOGS=graph_breaks shows where the graph breaks and why; fullgraph=True makes them "
        "errors.";
  }
  Recommendation made = Make(Severity(context, compiles, share, regions), finding, remedy);
  AddEvidence(made, "compilations", compilations.per_step.count);
  AddEvidence(made, "compile_ns", compilations.per_step.total_ns);
  AddEvidence(made, "compile_share", share);
  AddEvidence(made, "regions_per_step", regions.per_step.CountPerStep());
  AddEvidence(made, "frames", static_cast<uint64_t>(regions.frames.size()));
  AddEvidence(made, "recompiled_regions", static_cast<uint64_t>(regions.recompiled.size()));
  AddWorstStep(made, compilations.per_step.WorstStep(context));
  AddExample(made, context.trace,
             compilations.longest != kNoRow ? compilations.longest : regions.first);
  return made;
}

}  // namespace

Rule CompileBreaks() {
  return {.id = "compile_breaks",
          .title = "compile breaks",
          .needs = "ranges of torch.compile",
          .threshold =
              "compiling takes >= 5 % of the steps' time (high: >= 20 %, or a frame recompiled 8 "
              "times), or at least 5 different compiled frames in at least 10 pieces per step "
              "(medium: 20 frames)",
          .reason =
              "8 is where torch gives up recompiling a frame; a model without breaks is one frame "
              "or a few",
          .views = {"overview"},
          .of_rank = FindCompileBreaks};
}

}  // namespace telltale::health
