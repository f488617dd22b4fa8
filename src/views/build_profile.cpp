// SPDX-License-Identifier: Apache-2.0
#include "views/build_profile.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "analysis/roofline/device_peaks.h"
#include "analysis/roofline/roofline.h"
#include "analysis/work/analyze.h"
#include "base/parallel.h"
#include "health/advise.h"
#include "health/facts.h"
#include "views/answer.h"
#include "views/expressions.h"
#include "views/shows_causes.h"
#include "views/view.h"

namespace telltale {

namespace {

health::FactOptions FactOptionsOf(const ParamValues& params) {
  health::FactOptions options;
  if (params.Has("device-peak")) {
    // Checked before anything was read.
    if (Result<DevicePeaks> peaks = ParseDevicePeaks(params.Text("device-peak"))) {
      options.roofline.peaks = *peaks;
    }
  }
  options.critical_path.annotation = params.Text("annotation");
  options.critical_path.instance = static_cast<uint64_t>(params.Integer("instance").value_or(0));
  options.critical_path.pieces = params.Text("view") == "critical_path";
  return options;
}

// As the joined report will say.
int64_t MeanStep(std::span<const ProfileReport> reports) {
  int64_t total_ns = 0;
  int64_t steps = 0;
  for (const ProfileReport& report : reports) {
    for (const StepRow& row : report.steps.rows) {
      if (!row.complete) continue;
      AddTo(total_ns, row.duration_ns);
      ++steps;
    }
  }
  return steps == 0 ? 0 : total_ns / steps;
}

// Views whose sentences and rows are not read from the causes …
constexpr std::array<std::string_view, 7> kNothingOfCauses = {
    "devices", "modules", "functions", "streams", "roofline", "diagnostics", "events"};
// … and those whose rows are.
constexpr std::array<std::string_view, 2> kRowsOfCauses = {"causes", "recommendations"};

// What to try stands below the view.
bool ShowsFindings(const ProfileRequest& request) {
  return request.view != nullptr && request.view->scope == ViewScope::kFurther &&
         request.use.format != OutputFormat::kCsv && !IsForeignText(request.use.like);
}

Error NoSuchRank(int64_t wanted, const Subject& subject) {
  std::set<int64_t> ranks;
  for (const Trace* trace : subject.Each<Trace>()) {
    if (trace->source.rank != kNoInt) ranks.insert(trace->source.rank);
  }
  return {ErrorCode::kUsage,
          ranks.empty() ? fmt::format("there is no trace of rank {}: no file says its rank", wanted)
                        : fmt::format("there is no trace of rank {}: the ranks here are {}", wanted,
                                      fmt::join(ranks, ", ")),
          std::nullopt};
}

enum class CausesUse : uint8_t { kFind, kFindAndKeepGraphs, kLeaveOut };

Result<PreparedProfile> Prepare(const Subject& subject, const AnalysisOptions& options,
                                std::optional<int64_t> rank, CausesUse causes) {
  PreparedProfile prepared;
  Profile& profile = prepared.base;
  profile.operator_grouping = options.operators;
  profile.kernel_grouping = options.kernels;
  prepared.subject = subject.Only([&](const Artifact& artifact) {
    return !rank || artifact.As<Trace>() == nullptr || artifact.source().rank == *rank;
  });
  if (rank && subject.Has<Trace>() && !prepared.subject.Has<Trace>()) {
    return tl::unexpected(NoSuchRank(*rank, subject));
  }
  const std::vector<const Trace*> traces = prepared.subject.Each<Trace>();
  std::vector<ProfileReport> reports(traces.size());
  std::vector<std::optional<TraceContext>> contexts(traces.size());
  const unsigned threads = ThreadCount(options.threads);
  ForEachOnThreads(threads, traces.size(), [&](size_t i) {
    contexts[i].emplace(PrepareTrace(*traces[i], options));
    if (CheckExpressions(*contexts[i])) reports[i] = AnalyzeByName(*contexts[i]);
  });
  prepared.contexts.reserve(traces.size());
  for (size_t i = 0; i < traces.size(); ++i) {
    prepared.contexts.push_back(*std::move(contexts[i]));
    if (const Result<void> known = CheckExpressions(prepared.contexts.back()); !known)
      return tl::unexpected(known.error());
  }
  auto report = reports.begin();
  for (const auto& artifact : prepared.subject.artifacts()) {
    const ArtifactId id{static_cast<uint32_t>(profile.files.size())};
    profile.files.push_back(FactsAbout(*artifact));
    const bool analyzed = artifact->As<Trace>() != nullptr;
    AppendDiagnostics(artifact->diagnostics(), analyzed ? (report++)->diagnostics : Diagnostics(),
                      id, profile.diagnostics);
  }
  profile.nothing_selected =
      !options.inside.empty() && !prepared.contexts.empty() &&
      std::all_of(prepared.contexts.begin(), prepared.contexts.end(),
                  [](const TraceContext& context) { return context.selection.Nothing(); });
  for (const Error& failure : subject.failures) profile.diagnostics.push_back(Unreadable(failure));
  if (causes != CausesUse::kLeaveOut) {
    auto worlds = std::make_shared<const RegionWorlds>(FindRegionWorlds(prepared.contexts, "", 0));
    profile.causes = DescribeCauses(prepared.contexts, *worlds);
    if (causes == CausesUse::kFindAndKeepGraphs) prepared.worlds = std::move(worlds);
    if (profile.causes.joined) profile.causes.SpeakOf(MeanStep(reports));
  }
  profile.recommendations = health::AdviseRanks(prepared.contexts, reports, profile.causes);
  ForEachOnThreads(threads, reports.size(),
                   [&](size_t i) { Regroup(prepared.contexts[i], reports[i]); });
  profile.report = reports.size() == 1 ? std::move(reports[0]) : MergeReports(reports);
  const StepReport& steps = profile.report.steps;
  const int64_t kernels = steps.average[static_cast<size_t>(StepCategory::kKernel)];
  // Only where the sentence is about the kernels: nothing else wants it here.
  if (causes != CausesUse::kLeaveOut && kernels > steps.average_ns / 10 * 9 &&
      WithoutFirstCause(profile).empty()) {
    profile.bound = BoundOf(DescribeRoofline(prepared.contexts, {}));
  }
  return prepared;
}

}  // namespace

bool ShowsCauses(const ProfileRequest& request) {
  const auto& [format, like] = request.use;
  // Tables of other tools, without a word of ours.
  if (IsForeignText(like)) return false;
  if (like == LikeTool::kTorch && format == OutputFormat::kText) return false;
  if (request.overview || request.view == nullptr) return true;
  const std::string_view view = request.view->name;
  if (format == OutputFormat::kCsv) {
    return std::ranges::find(kRowsOfCauses, view) != kRowsOfCauses.end();
  }
  return std::ranges::find(kNothingOfCauses, view) == kNothingOfCauses.end() ||
         (ShowsFindings(request) && health::SpeaksOfCauses(view));
}

Result<PreparedProfile> PrepareProfile(const Subject& subject, const AnalysisOptions& options,
                                       std::optional<int64_t> rank, bool keep_worlds) {
  return Prepare(subject, options, rank,
                 keep_worlds ? CausesUse::kFindAndKeepGraphs : CausesUse::kFind);
}

Result<PreparedProfile> PrepareWithoutCauses(const Subject& subject,
                                             const AnalysisOptions& options) {
  return Prepare(subject, options, std::nullopt, CausesUse::kLeaveOut);
}

BuiltViews BuildViews(const PreparedProfile& prepared, const ProfileRequest& request,
                      Extent extent) {
  const Profile& profile = prepared.base;
  const Subject& subject = prepared.subject;
  health::Facts facts(prepared.contexts, subject, FactOptionsOf(request.params));
  if (prepared.worlds != nullptr) facts.Give<RegionWorlds>(prepared.worlds);
  const bool whole = request.overview && extent == Extent::kWhole;
  const auto input_of = [&](const ViewSpec& spec) {
    // The overview sorts its operators.
    const bool sorts = request.view != nullptr ? request.view == &spec : spec.name == "operators";
    return ViewInput{.subject = subject,
                     .traces = prepared.contexts,
                     .profile = profile,
                     .params = request.params,
                     .use = request.use,
                     .sort_field = sorts ? request.sort_field : std::nullopt,
                     .facts = facts,
                     .is_view = !request.overview,
                     .whole_document = whole};
  };
  const auto shows = [&](const ViewSpec& spec) {
    if (request.view == &spec) return true;
    if (!request.overview || spec.scope == ViewScope::kAlone) return false;
    const bool further = spec.scope == ViewScope::kFurther;
    // The overview of traces shows function profiles that are beside them.
    if (further && !whole) return spec.name == "functions" && subject.Has<FunctionProfile>();
    return spec.applies != nullptr ? spec.applies(input_of(spec)) : HasTraces(profile);
  };
  std::vector<const ViewSpec*> shown;
  for (const ViewSpec& spec : Views()) {
    if (spec.build != nullptr && shows(spec)) shown.push_back(&spec);
  }
  BuiltViews built;
  built.named = request.overview ? nullptr : request.view;
  // They know nothing of each other.
  built.views.resize(shown.size());
  ForEachOnThreads(ThreadCount(request.analysis.threads), shown.size(), [&](size_t i) {
    built.views[i] = {shown[i], shown[i]->build(input_of(*shown[i]))};
  });
  if (ShowsFindings(request)) {
    built.findings = health::AdviseView(facts, profile.recommendations, request.view->name);
  }
  return built;
}

}  // namespace telltale
