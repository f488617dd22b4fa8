// SPDX-License-Identifier: Apache-2.0
// `telltale validate PATH…`: what is wrong with a trace, where, and what it means for the numbers.
#include <unistd.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/loading.h"
#include "cli/progress.h"
#include "views/profile.h"
#include "views/render/output.h"
#include "views/validate/validate.h"

namespace telltale {

CommandSpec ValidateCommandSpec() {
  CommandSpec spec;
  spec.name = "validate";
  spec.summary = "say what is wrong with a trace or event file, with byte offsets";
  spec.examples = {
      {"telltale validate trace.json.gz",
       "whether the file is sound, and how far its numbers can be trusted"},
      {"telltale validate --json runs/log",
       "the findings on a folder of traces and event files, for a program"},
  };
  spec.positionals = "PATH...";
  spec.options = {{.name = "json", .help = "one JSON document on standard output"}};
  AppendCommonOptions(spec);
  spec.sections = {
      {"Severities",
       {{"info", "worth knowing; the numbers are right"},
        {"loss", "something could not be used; the numbers lack it"},
        {"error", "the file is damaged or contradicts itself"}}},
      {"Exit codes",
       {{"0", "no errors (losses and notes are reported, but do not fail)"},
        {"1", "at least one error was found, or the result could not be written"},
        {"2", "wrong usage"},
        {"3", "no input could be read"}}},
  };
  return spec;
}

int RunValidate(const Arguments& arguments) {
  const Result<StyleRequest> style = MakeStyleRequest(arguments);
  if (!style) {
    PrintError(style.error());
    return ExitCodeOf(style.error().code);
  }
  Progress progress(StandardErrorPlace(arguments.Has("quiet")));
  const auto threads = ThreadsOf(arguments);
  const Result<Subject> subject =
      LoadWithProgress(arguments.positionals(), std::nullopt, threads, progress, true, true);
  if (!subject) {
    progress.Finish();
    PrintError(subject.error());
    return ExitCodeOf(subject.error().code);
  }

  progress.Note("checking");
  const Profile findings = ValidateSubject(*subject);
  progress.Finish();

  DescriptorOutput output(STDOUT_FILENO);
  output.Write(arguments.Has("json")
                   ? ValidateJson(findings)
                   : ValidateText(findings, ChooseStyle(*style, FactsAbout(STDOUT_FILENO))));
  if (const int written = Finish(output); written != kExitFine) return written;
  return HasError(findings) ? kExitCheckFailed : kExitFine;
}

}  // namespace telltale
