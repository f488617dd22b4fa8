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
#include "views/common_options.h"
#include "views/section.h"

namespace telltale {

namespace {

// The sections that the output will show: the one asked for, all of a whole JSON document, none of
// any other view. They know nothing of each other.
void MakeSections(const health::Facts& facts, const Loaded& loaded, const ProfileRequest& request,
                  const Arguments& arguments, Profile& profile) {
  const bool overview = request.view == View::kOverview;
  const auto input_of = [&](const SectionSpec& spec) {
    return SectionInput{
        facts.traces(), loaded.functions,
        loaded.memory,  profile,
        arguments,      request.section == &spec ? request.sort_field : std::nullopt,
        facts};
  };
  std::vector<const SectionSpec*> shown;
  for (const SectionSpec& spec : Sections()) {
    bool show = request.section == &spec;
    if (overview && !show) {
      // The overview of traces shows function profiles that are beside them.
      show = request.format == OutputFormat::kJson
                 ? HasTraces(profile) && (spec.applies == nullptr || spec.applies(input_of(spec)))
                 : spec.name == "functions" && !loaded.functions.empty();
    }
    if (show) shown.push_back(&spec);
  }
  std::vector<NamedSection> sections(shown.size());
  ForEachOnThreads(ThreadCount(request.analysis.threads), shown.size(), [&](size_t i) {
    sections[i] = {shown[i]->name, shown[i]->make(input_of(*shown[i]))};
  });
  profile.sections = std::move(sections);
}

health::FactOptions FactOptionsOf(const Arguments& arguments) {
  health::FactOptions options;
  if (arguments.Has("device-peak")) {
    // Checked before anything was read.
    if (Result<DevicePeaks> peaks = ParseDevicePeaks(arguments.Text("device-peak"))) {
      options.roofline.peaks = *peaks;
    }
  }
  options.critical_path.annotation = arguments.Text("annotation");
  options.critical_path.instance = static_cast<uint64_t>(arguments.Integer("instance").value_or(0));
  options.critical_path.pieces = arguments.Text("view") == "critical_path";
  return options;
}

// What to try: all of it where that is asked for, or a whole document; of a section its own. Other
// views, and the overview of a trace, show what `profile` has already.
void Advise(const health::Facts& facts, const ProfileRequest& request, Profile& profile) {
  const bool document = request.view == View::kOverview && request.format == OutputFormat::kJson;
  if (document || request.view == View::kRecommendations) {
    profile.recommendations = health::AdviseView(facts, profile.recommendations, "");
  } else if (request.section != nullptr && request.format != OutputFormat::kCsv &&
             !request.pstats_text) {
    profile.recommendations =
        health::AdviseView(facts, profile.recommendations, request.section->name);
  }
}

void Complete(std::span<const TraceContext> traces, const Loaded& loaded,
              const ProfileRequest& request, const Arguments& arguments, Profile& profile) {
  const health::Facts facts(traces, loaded.functions, loaded.memory, FactOptionsOf(arguments));
  MakeSections(facts, loaded, request, arguments, profile);
  Advise(facts, request, profile);
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

Profile BuildProfile(const Loaded& loaded, const PreparedProfile& prepared,
                     const ProfileRequest& request, const Arguments& arguments) {
  Profile profile = prepared.base;
  Complete(prepared.contexts, loaded, request, arguments, profile);
  return profile;
}

Result<Profile> BuildProfile(const Loaded& loaded, const ProfileRequest& request,
                             const Arguments& arguments) {
  Result<PreparedProfile> prepared = PrepareProfile(loaded, request.analysis);
  if (!prepared) return tl::unexpected(prepared.error());
  Profile profile = std::move(prepared->base);
  Complete(prepared->contexts, loaded, request, arguments, profile);
  return profile;
}

}  // namespace telltale
