// SPDX-License-Identifier: Apache-2.0
// `telltale profile PATH…`: reads the traces, runs the analyses, joins them and hands the result to
// the writer of the format asked for.
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/loading.h"
#include "cli/progress.h"
#include "views/build_profile.h"
#include "views/capture_gaps.h"
#include "views/captured.h"
#include "views/events.h"
#include "views/functions/request.h"
#include "views/operators/torch_table.h"
#include "views/profile.h"
#include "views/profile_csv.h"
#include "views/profile_json.h"
#include "views/profile_request.h"
#include "views/profile_text.h"
#include "views/render/display.h"
#include "views/render/output.h"
#include "views/render/units.h"

namespace telltale {

namespace {

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
      LoadWithProgress(request->paths, request->rank, request->analysis.threads, progress,
                       NeedsCallPairs(arguments));
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

  if (AreOfFunctions(loaded->traces)) PreferFunctions(*request);

  uint64_t events = 0;
  for (const Trace& trace : loaded->traces) events += trace.source.events;
  progress.Note(fmt::format("analysing {} events", FormatCount(static_cast<int64_t>(events))));
  Result<Profile> built = BuildProfile(*loaded, *request, arguments);
  if (!built) {
    progress.Finish();
    PrintError(built.error());
    return ExitCodeOf(built.error().code);
  }
  Profile profile = std::move(*built);
  if (!request->steps_text.empty() && profile.report.steps.rows.empty()) {
    progress.Finish();
    PrintError(DescribeNoSteps(request->steps_text, "this trace", profile.report.steps.source,
                               request->analysis.step_annotation));
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
