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
#include "views/events/events.h"
#include "views/functions/request.h"
#include "views/operators/torch_table.h"
#include "views/overview/overview_text.h"
#include "views/profile.h"
#include "views/profile_json.h"
#include "views/profile_request.h"
#include "views/render/display.h"
#include "views/render/output.h"
#include "views/render/units.h"

namespace telltale {

namespace {

OutputStyle StyleOf(const ProfileRequest& request) {
  return ChooseStyle(request.style, FactsAbout(STDOUT_FILENO));
}

void WriteEvents(const Profile& profile, const BuiltViews& built, const EventSource& events,
                 const ProfileRequest& request, Output& output) {
  const int64_t limit = request.limit.value_or(0);
  switch (request.format) {
    case OutputFormat::kCsv:
      return WriteEventsCsv(events, request.sort_field, limit, output);
    case OutputFormat::kJson:
      return WriteEventsJson(ProfileJson(profile, built), events, request.sort_field, limit,
                             output);
    case OutputFormat::kText:
      output.Write(EventsText(events, request.sort_field, request.limit, StyleOf(request)));
      return output.Write(DataNote(profile, StyleOf(request)));
  }
}

void WriteProfile(const PreparedProfile& prepared, const BuiltViews& built,
                  const ProfileRequest& request, Output& output) {
  const Profile& profile = prepared.base;
  if (request.torch_table && request.format == OutputFormat::kText) {
    // The table sorts by itself: it has rows that are no operators, and torch's order of ties.
    return output.Write(TorchTable(profile, {request.sort_field, request.limit.value_or(100)}));
  }
  if (built.named != nullptr && built.named->make == nullptr)
    return WriteEvents(profile, built, EventSource(prepared.contexts), request, output);
  if (request.pstats_text) {
    for (const BuiltView& view : built.views)
      output.Write(view.section->Text(request.limit, StyleOf(request)));
    return;
  }
  switch (request.format) {
    case OutputFormat::kJson:
      return output.Write(ProfileJson(profile, built, request.limit.value_or(0)));
    case OutputFormat::kCsv:
      for (const BuiltView& view : built.views)
        view.section->WriteCsv(request.limit.value_or(0), output);
      return;
    case OutputFormat::kText:
      return output.Write(ProfileText(profile, built, request.limit, StyleOf(request)));
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
  const Result<PreparedProfile> prepared = PrepareProfile(*loaded, request->analysis);
  if (!prepared) {
    progress.Finish();
    PrintError(prepared.error());
    return ExitCodeOf(prepared.error().code);
  }
  const Profile& profile = prepared->base;
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

  const Extent extent = request->format == OutputFormat::kJson ? Extent::kWhole : Extent::kOverview;
  const BuiltViews built = BuildViews(*loaded, *prepared, *request, extent, arguments);
  progress.Finish();
  DescriptorOutput output(STDOUT_FILENO);
  WriteProfile(*prepared, built, *request, output);
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
