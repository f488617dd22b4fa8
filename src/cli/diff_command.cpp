// SPDX-License-Identifier: Apache-2.0
// `telltale diff BEFORE AFTER`: what changed between two profiles, and a gate for CI.
#include <unistd.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/loading.h"
#include "cli/progress.h"
#include "views/diff/output.h"
#include "views/diff/request.h"
#include "views/render/output.h"

namespace telltale {

int RunDiff(const Arguments& arguments) {
  const auto usage = [](const Error& error) {
    PrintError(fmt::format("{}\n'telltale diff --help' explains the options", error.message));
    return ExitCodeOf(error.code);
  };
  const Result<DiffRequest> request = MakeDiffRequest(arguments);
  if (!request) return usage(request.error());

  Progress progress(StandardErrorPlace(arguments.Has("quiet")));
  std::vector<Loaded> sides;
  for (const std::string& path : {request->before, request->after}) {
    Result<Loaded> loaded =
        LoadWithProgress(std::span(&path, 1), request->rank, request->analysis.threads, progress);
    if (!loaded) {
      progress.Finish();
      PrintError(loaded.error());
      return ExitCodeOf(loaded.error().code);
    }
    sides.push_back(std::move(*loaded));
  }
  progress.Note("comparing");
  const Result<DiffDocument> made = MakeDiff({sides[0]}, {sides[1]}, *request);
  progress.Finish();
  if (!made) return usage(made.error());
  const DiffDocument& document = *made;

  DescriptorOutput output(STDOUT_FILENO);
  const OutputStyle style = ChooseStyle(request->style, FactsAbout(STDOUT_FILENO));
  if (arguments.Has("json")) {
    output.Write(DiffJson(document, request->limit.value_or(0)));
  } else if (arguments.Has("csv")) {
    WriteDiffCsv(document, request->limit.value_or(0), output);
  } else if (arguments.Has("markdown")) {
    output.Write(DiffMarkdown(document, request->limit.value_or(15)));
  } else {
    output.Write(DiffText(document, request->limit.value_or(15), style));
  }
  output.Flush();
  if (const std::string problem = output.Problem(); !problem.empty()) {
    PrintError(problem);
    return kExitCheckFailed;
  }
  if (document.gate && document.gate->failed != nullptr) {
    PrintError(DescribeFailure(*document.gate, document.report, style.unicode));
    return kExitCheckFailed;
  }
  return kExitFine;
}

}  // namespace telltale
