// SPDX-License-Identifier: Apache-2.0
// `telltale profile PATH…`: reads the traces, runs the analyses, joins them and hands the result to
// the writer of the format asked for.
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/analyze.h"
#include "cli/capture_gaps.h"
#include "cli/commands.h"
#include "cli/display.h"
#include "cli/events.h"
#include "cli/loading.h"
#include "cli/output.h"
#include "cli/profile.h"
#include "cli/profile_csv.h"
#include "cli/profile_json.h"
#include "cli/profile_request.h"
#include "cli/profile_text.h"
#include "cli/progress.h"
#include "cli/torch_table.h"
#include "cli/units.h"

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

Profile Analyze(const Loaded& loaded, const ProfileRequest& request, const Arguments& arguments) {
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

void WriteEvents(const Profile& profile, const EventSource& events, const ProfileRequest& request,
                 Output& output) {
  switch (request.format) {
    case OutputFormat::kCsv:
      return WriteEventsCsv(events, request.sort_field, request.limit.value_or(0), output);
    case OutputFormat::kJson:
      return WriteEventsJson(ProfileJson(profile, {View::kEvents, 0}), events, request.sort_field,
                             request.limit.value_or(0), output);
    case OutputFormat::kText: {
      const OutputStyle style = ChooseStyle(request.style, FactsAbout(STDOUT_FILENO));
      output.Write(EventsText(events, {View::kEvents, request.limit, request.sort_field}, style));
      return output.Write(DataNote(profile, style));
    }
  }
}

void WriteProfile(Profile& profile, const ProfileRequest& request, Output& output) {
  if (request.torch_table && request.format == OutputFormat::kText) {
    // The table sorts by itself: it has rows that are no operators, and torch's order of ties.
    return output.Write(TorchTable(profile, {request.sort_field, request.limit.value_or(100)}));
  }
  if (request.pstats_text) {
    const OutputStyle style = ChooseStyle(request.style, FactsAbout(STDOUT_FILENO));
    for (const NamedSection& section : profile.sections) {
      output.Write(section.section->Text(request.limit, style));
    }
    return;
  }
  if (request.sort_field) SortView(profile, request.view, *request.sort_field);
  switch (request.format) {
    case OutputFormat::kJson:
      return output.Write(ProfileJson(profile, {request.view, request.limit.value_or(0)}));
    case OutputFormat::kCsv:
      return WriteProfileCsv(profile, request.view, request.limit.value_or(0), output);
    case OutputFormat::kText:
      return output.Write(ProfileText(profile, {request.view, request.limit, request.sort_field},
                                      ChooseStyle(request.style, FactsAbout(STDOUT_FILENO))));
  }
}

}  // namespace

int RunProfile(const Arguments& arguments) {
  Result<ProfileRequest> request = MakeProfileRequest(arguments);
  if (!request) {
    PrintError(
        fmt::format("{}\n'telltale profile --help' explains the options", request.error().message));
    return ExitCodeOf(request.error().code);
  }

  Progress progress(StandardErrorPlace(request->quiet));
  const Result<Loaded> loaded =
      LoadWithProgress(request->paths, request->rank, request->analysis.threads, progress);
  if (!loaded) {
    progress.Finish();
    PrintError(loaded.error());
    return ExitCodeOf(loaded.error().code);
  }

  if (loaded->traces.empty()) {
    const bool memory = loaded->functions.empty() && !loaded->memory.empty();
    if (const Result<void> adapted = memory ? AdaptToMemory(*request) : AdaptToFunctions(*request);
        !adapted) {
      progress.Finish();
      PrintError(adapted.error());
      return ExitCodeOf(adapted.error().code);
    }
  }

  uint64_t events = 0;
  for (const Trace& trace : loaded->traces) events += trace.source.events;
  progress.Note(fmt::format("analysing {} events", FormatCount(static_cast<int64_t>(events))));
  Profile profile = Analyze(*loaded, *request, arguments);
  if (!request->steps_text.empty() && profile.report.steps.rows.empty()) {
    progress.Finish();
    PrintError(
        fmt::format("--steps {} matches no step of this trace\n'--view steps' lists those it has",
                    Printable(request->steps_text, true)));
    return kExitUsage;
  }
  if (profile.nothing_selected) {
    progress.Finish();
    PrintError(
        fmt::format("--inside '{}' matches no range of {}\n'--view annotations' lists those it has",
                    Printable(request->analysis.inside, true),
                    request->steps_text.empty() ? "this trace" : "the selected steps"));
    return kExitUsage;
  }

  DescriptorOutput output(STDOUT_FILENO);
  if (request->view == View::kEvents) {
    const EventSource source(loaded->traces, request->analysis.threads);
    progress.Finish();
    WriteEvents(profile, source, *request, output);
  } else {
    progress.Finish();
    WriteProfile(profile, *request, output);
  }
  output.Flush();
  // Text and JSON carry the diagnostics; a table for programs has no place for them.
  const bool bare_table = request->format == OutputFormat::kCsv || request->pstats_text ||
                          (request->torch_table && request->format == OutputFormat::kText);
  if (const std::string losses = SummaryOfDiagnostics(profile, Severity::kLoss);
      bare_table && !losses.empty()) {
    PrintError(fmt::format(
        "parts of the input could not be used: {}\n'--view diagnostics' explains", losses));
  }
  if (const std::string problem = output.Problem(); !problem.empty()) {
    PrintError(problem);
    return kExitCheckFailed;
  }
  return kExitFine;
}

}  // namespace telltale
