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
#include "cli/profile_options.h"
#include "cli/progress.h"
#include "views/build_profile.h"
#include "views/capture_gaps.h"
#include "views/events/events.h"
#include "views/functions/request.h"
#include "views/operators/torch_table.h"
#include "views/overview/overview_text.h"
#include "views/part.h"
#include "views/profile.h"
#include "views/profile_json.h"
#include "views/render/document.h"
#include "views/render/markdown.h"
#include "views/render/output.h"
#include "views/render/units.h"
#include "views/shows_causes.h"

namespace telltale {

namespace {

void WriteEvents(const Profile& profile, const BuiltViews& built, const EventSource& events,
                 const ProfileRequest& request, const OutputStyle& style, Output& output) {
  const int64_t limit = request.limit.value_or(0);
  switch (request.use.format) {
    case OutputFormat::kCsv:
      return WriteEventsCsv(events, request.sort_field, limit, output);
    case OutputFormat::kJson:
      return WriteEventsJson(ProfileJson(profile, built), events, request.sort_field, limit,
                             output);
    case OutputFormat::kMarkdown:
    case OutputFormat::kText:
      break;
  }
  const Document document = EventsDocument(events, request.sort_field, request.limit);
  if (request.use.format == OutputFormat::kMarkdown)
    return output.Write(DocumentMarkdown(document, request.limit));
  output.Write(DocumentText(document, request.limit, style));
  output.Write(DataNote(profile, style));
}

bool ShowsFunctions(const ProfileRequest& request) {
  return request.view != nullptr && !request.overview && request.view->name == "functions";
}

// Of a folder.
FolderContent WantedOf(const ProfileRequest& request) {
  if (!ShowsFunctions(request)) return FolderContent::kProfiles;
  return request.params.Has("between") ? FolderContent::kTimedFunctions : FolderContent::kFunctions;
}

bool IsTorchTable(const OutputUse& use) {
  return use.like == LikeTool::kTorch && use.format == OutputFormat::kText;
}

void WriteProfile(const PreparedProfile& prepared, const BuiltViews& built,
                  const ProfileRequest& request, const OutputStyle& style, Output& output) {
  const Profile& profile = prepared.base;
  if (IsTorchTable(request.use)) {
    // The table sorts by itself: it has rows that are no operators, and torch's order of ties.
    return output.Write(TorchTable(profile, {request.sort_field, request.limit.value_or(100)}));
  }
  if (built.named != nullptr && built.named->build == nullptr)
    return WriteEvents(profile, built, EventSource(prepared.contexts), request, style, output);
  if (IsForeignText(request.use.like)) {
    for (const BuiltView& view : built.views)
      output.Write(DocumentText(view.document, request.limit, style));
    return;
  }
  switch (request.use.format) {
    case OutputFormat::kJson:
      return output.Write(ProfileJson(profile, built, request.limit.value_or(0)));
    case OutputFormat::kCsv:
      for (const BuiltView& view : built.views)
        WriteDocumentCsv(view.document, request.limit.value_or(0), output);
      return;
    case OutputFormat::kMarkdown:
      return output.Write(ProfileMarkdown(profile, built, request.limit));
    case OutputFormat::kText:
      return output.Write(ProfileText(profile, built, request.limit, style));
  }
}

}  // namespace

int RunProfile(const Arguments& arguments) {
  Result<ProfileOptions> options = MakeProfileOptions(arguments);
  if (!options) return WrongUsage("profile", options.error());
  ProfileRequest& request = options->request;

  Progress progress(StandardErrorPlace(options->quiet));
  const auto failed = [&](const Error& error) {
    progress.Finish();
    PrintError(error);
    return ExitCodeOf(error.code);
  };
  const Result<Subject> subject =
      LoadWithProgress(options->paths, request.rank, request.analysis.threads, progress,
                       NeedsCallPairs(request.params), false, WantedOf(request));
  if (!subject) return failed(subject.error());
  if (const Result<void> fits = FitToInput(*subject, request); !fits) return failed(fits.error());

  uint64_t events = 0;
  for (const Trace* trace : subject->Each<Trace>()) events += trace->source.events;
  progress.Note(fmt::format("analysing {} events", FormatCount(static_cast<int64_t>(events))));
  const Result<PreparedProfile> prepared =
      ShowsCauses(request) ? PrepareProfile(*subject, request.analysis, std::nullopt, true)
                           : PrepareWithoutCauses(*subject, request.analysis);
  if (!prepared) return failed(prepared.error());
  const Profile& profile = prepared->base;
  if (const Result<void> there = CheckPart(request.params, profile); !there) {
    progress.Finish();
    PrintError(there.error().message);
    return kExitUsage;
  }

  const Extent extent =
      request.use.format == OutputFormat::kJson ? Extent::kWhole : Extent::kOverview;
  const BuiltViews built = BuildViews(*prepared, request, extent);
  progress.Finish();
  if (const std::string problem = built.problem(); !problem.empty()) {
    PrintError(problem);
    return kExitUsage;
  }
  DescriptorOutput output(STDOUT_FILENO);
  WriteProfile(*prepared, built, request, ChooseStyle(options->style, FactsAbout(STDOUT_FILENO)),
               output);
  output.Flush();
  // Text and JSON carry the diagnostics; a table for programs has no place for them.
  const bool bare_table = request.use.format == OutputFormat::kCsv ||
                          IsForeignText(request.use.like) || IsTorchTable(request.use);
  if (const std::string losses = SummaryOfDiagnostics(profile, Severity::kLoss);
      bare_table && !losses.empty()) {
    PrintError(fmt::format(
        "parts of the input could not be used: {}\n'--view diagnostics' explains", losses));
  }
  return Finish(output);
}

}  // namespace telltale
