// SPDX-License-Identifier: Apache-2.0
#include "views/build_profile.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/roofline/device_peaks.h"
#include "analysis/work/analyze.h"
#include "base/parallel.h"
#include "health/advise.h"
#include "health/facts.h"
#include "views/expressions.h"
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

Error NoSuchRank(int64_t wanted, const std::vector<Trace>& traces) {
  std::set<int64_t> ranks;
  for (const Trace& trace : traces) {
    if (trace.source.rank != kNoInt) ranks.insert(trace.source.rank);
  }
  return {ErrorCode::kUsage,
          ranks.empty() ? fmt::format("there is no trace of rank {}: no file says its rank", wanted)
                        : fmt::format("there is no trace of rank {}: the ranks here are {}", wanted,
                                      fmt::join(ranks, ", ")),
          std::nullopt};
}

}  // namespace

Result<PreparedProfile> PrepareProfile(const Loaded& loaded, const AnalysisOptions& options,
                                       std::optional<int64_t> rank) {
  PreparedProfile prepared;
  Profile& profile = prepared.base;
  profile.operator_grouping = options.operators;
  profile.kernel_grouping = options.kernels;
  std::vector<const Trace*> traces;
  for (const Trace& trace : loaded.traces) {
    if (!rank || trace.source.rank == *rank) traces.push_back(&trace);
  }
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
    profile.files.push_back(FactsAbout(*traces[i]));
    AppendDiagnostics(traces[i]->diagnostics, reports[i].diagnostics, i, profile.diagnostics);
  }
  if (rank && reports.empty() && !loaded.traces.empty()) {
    return tl::unexpected(NoSuchRank(*rank, loaded.traces));
  }
  for (const FunctionProfile& functions : loaded.functions) {
    profile.files.push_back(FactsAbout(functions));
    AppendDiagnostics(functions.diagnostics, {}, profile.files.size() - 1, profile.diagnostics);
  }
  profile.other_files = loaded.functions.size() + loaded.memory.size();
  for (const MemoryProfile& memory : loaded.memory) {
    profile.files.push_back(FactsAbout(memory));
    AppendDiagnostics(memory.diagnostics, {}, profile.files.size() - 1, profile.diagnostics);
  }
  profile.nothing_selected =
      !options.inside.empty() && !prepared.contexts.empty() &&
      std::all_of(prepared.contexts.begin(), prepared.contexts.end(),
                  [](const TraceContext& context) { return context.selection.Nothing(); });
  for (const Error& failure : loaded.failures) profile.diagnostics.push_back(Unreadable(failure));
  profile.recommendations = health::AdviseRanks(prepared.contexts, reports);
  ForEachOnThreads(threads, reports.size(),
                   [&](size_t i) { Regroup(prepared.contexts[i], reports[i]); });
  profile.report = reports.size() == 1 ? std::move(reports[0]) : MergeReports(reports);
  return prepared;
}

BuiltViews BuildViews(const Loaded& loaded, const PreparedProfile& prepared,
                      const ProfileRequest& request, Extent extent) {
  const Profile& profile = prepared.base;
  const health::Facts facts(prepared.contexts, loaded.functions, loaded.memory,
                            FactOptionsOf(request.params));
  const bool whole = request.overview && extent == Extent::kWhole;
  const auto input_of = [&](const ViewSpec& spec) {
    // The overview sorts its operators.
    const bool sorts = request.view != nullptr ? request.view == &spec : spec.name == "operators";
    return ViewInput{.traces = prepared.contexts,
                     .functions = loaded.functions,
                     .memory = loaded.memory,
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
    if (further && !whole) return spec.name == "functions" && !loaded.functions.empty();
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
  if (request.view != nullptr && request.view->scope == ViewScope::kFurther &&
      request.use.format != OutputFormat::kCsv && request.use.like != LikeTool::kPstats) {
    built.findings = health::AdviseView(facts, profile.recommendations, request.view->name);
  }
  return built;
}

}  // namespace telltale
