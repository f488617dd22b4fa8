// SPDX-License-Identifier: Apache-2.0
// `telltale diff BEFORE AFTER`: what changed between two profiles, and a gate for CI.
#include <unistd.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/loading.h"
#include "cli/progress.h"
#include "views/diff/output.h"
#include "views/diff/request.h"
#include "views/render/output.h"

namespace telltale {

namespace {

Result<DiffRequest> MakeRequest(const Arguments& arguments) {
  const auto wrong = [](std::string message) {
    return Fail(ErrorCode::kUsage, std::move(message));
  };
  const std::vector<std::string>& sides = arguments.positionals();
  if (sides.size() != 2) {
    return wrong(fmt::format(
        "diff compares two profiles, before and after; {} named",
        sides.size() == 1 ? std::string("one is") : fmt::format("{} are", sides.size())));
  }
  if (sides[0] == "-" && sides[1] == "-") {
    return wrong("standard input can be one of the two profiles, not both");
  }
  if (const Result<OutputFormat> format = FormatOf(arguments); !format)
    return tl::unexpected(format.error());
  Result<DiffRequest> request = MakeDiffRequest(arguments);
  if (request) request->analysis.threads = ThreadsOf(arguments);
  return request;
}

}  // namespace

CommandSpec DiffCommandSpec() {
  CommandSpec spec;
  spec.name = "diff";
  spec.summary = "say what changed between two profiles; fail if it got slower";
  spec.examples = {
      {"telltale diff before.json.gz after.json.gz", "what got slower or faster, beyond the noise"},
      {"telltale diff main.json.gz branch.json.gz --fail-above 5%",
       "in CI: exit code 1 if a step takes 5 % longer"},
      {"telltale diff old.prof new.prof --markdown", "a table for a pull request"},
  };
  spec.positionals = "BEFORE AFTER";
  spec.options = DiffParams();
  spec.options.push_back({.name = "json", .help = "one JSON document on standard output"});
  spec.options.push_back({.name = "markdown", .help = "tables for a pull request"});
  spec.options.push_back({.name = "csv", .help = "all tables as one CSV"});
  AppendCommonOptions(spec);
  spec.sections = {
      {"Verdicts",
       {{"slower, faster",
         "the means differ by 1 % or more, and by more than the steps scatter "
         "(Welch's test, p < 0.05)"},
        {"noise", "they do not"},
        {"no spread", "a side has one step only, so nobody knows"},
        {"new, gone", "only one side has it"},
        {"renamed", "a kernel of another name under the same operator and input shapes"}}},
      {"Exit codes",
       {{"0", "fine"},
        {"1", "--fail-above found something, or the result could not be written"},
        {"2", "wrong usage"},
        {"3", "an input could not be read"}}},
  };
  return spec;
}

int RunDiff(const Arguments& arguments) {
  const auto usage = [](const Error& error) { return WrongUsage("diff", error); };
  const Result<DiffRequest> request = MakeRequest(arguments);
  if (!request) return usage(request.error());
  const Result<StyleRequest> looks = MakeStyleRequest(arguments);
  if (!looks) return usage(looks.error());

  Progress progress(StandardErrorPlace(arguments.Has("quiet")));
  std::vector<Subject> sides;
  for (const std::string& path : arguments.positionals()) {
    Result<Subject> subject =
        LoadWithProgress(std::span(&path, 1), request->rank, request->analysis.threads, progress);
    if (!subject) {
      progress.Finish();
      PrintError(subject.error());
      return ExitCodeOf(subject.error().code);
    }
    sides.push_back(std::move(*subject));
  }
  progress.Note("comparing");
  const Result<DiffDocument> made = MakeDiff({sides[0]}, {sides[1]}, *request);
  progress.Finish();
  if (!made) return usage(made.error());
  const DiffDocument& document = *made;

  DescriptorOutput output(STDOUT_FILENO);
  const OutputStyle style = ChooseStyle(*looks, FactsAbout(STDOUT_FILENO));
  if (arguments.Has("json")) {
    output.Write(DiffJson(document, request->limit.value_or(0)));
  } else if (arguments.Has("csv")) {
    WriteDiffCsv(document, request->limit.value_or(0), output);
  } else if (arguments.Has("markdown")) {
    output.Write(DiffMarkdown(document, request->limit));
  } else {
    output.Write(DiffText(document, request->limit, style));
  }
  if (const int written = Finish(output); written != kExitFine) return written;
  if (document.gate && document.gate->failed != nullptr) {
    PrintError(DescribeFailure(*document.gate, document.report, style.unicode));
    return kExitCheckFailed;
  }
  return kExitFine;
}

}  // namespace telltale
