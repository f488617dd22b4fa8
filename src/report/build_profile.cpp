// SPDX-License-Identifier: Apache-2.0
#include "report/build_profile.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/analyze.h"
#include "report/section.h"

namespace telltale {

namespace {

// The sections that the output will show: the one asked for, all of a whole JSON document, none of
// any other view.
void MakeSections(std::span<const TraceContext> traces, const Loaded& loaded,
                  const ProfileRequest& request, const Arguments& arguments, Profile& profile) {
  const bool overview = request.view == View::kOverview;
  for (const SectionSpec& spec : Sections()) {
    const bool asked_for = request.section == &spec;
    const SectionInput input = {traces,        loaded.functions,
                                loaded.memory, profile,
                                arguments,     asked_for ? request.sort_field : std::nullopt};
    bool shown = asked_for;
    if (overview && !asked_for) {
      // The overview of traces shows function profiles that are beside them.
      shown = request.format == OutputFormat::kJson
                  ? HasTraces(profile) && (spec.applies == nullptr || spec.applies(input))
                  : spec.name == "functions" && !loaded.functions.empty();
    }
    if (shown) profile.sections.push_back({spec.name, spec.make(input)});
  }
}

}  // namespace

Profile BuildProfile(const Loaded& loaded, const ProfileRequest& request,
                     const Arguments& arguments) {
  const AnalysisOptions& options = request.analysis;
  Profile profile;
  profile.operator_grouping = options.operators;
  profile.kernel_grouping = options.kernels;
  std::vector<TraceContext> contexts;
  std::vector<ProfileReport> reports;
  for (size_t file = 0; file < loaded.traces.size(); ++file) {
    const Trace& trace = loaded.traces[file];
    contexts.push_back(PrepareTrace(trace, options));
    reports.push_back(AnalyzeTrace(contexts.back()));
    profile.files.push_back(FactsAbout(trace));
    AppendDiagnostics(trace.diagnostics, reports.back().diagnostics, file, profile.diagnostics);
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
      !options.inside.empty() && !contexts.empty() &&
      std::all_of(contexts.begin(), contexts.end(),
                  [](const TraceContext& context) { return context.selection.Nothing(); });
  for (const Error& failure : loaded.failures) profile.diagnostics.push_back(Unreadable(failure));
  profile.report = reports.size() == 1 ? std::move(reports[0]) : MergeReports(reports);
  MakeSections(contexts, loaded, request, arguments, profile);
  return profile;
}

}  // namespace telltale
