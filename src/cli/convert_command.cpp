// SPDX-License-Identifier: Apache-2.0
// `telltale convert IN… OUT`: a profile in another format.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/convert.h"
#include "cli/display.h"
#include "cli/loading.h"
#include "cli/profile_request.h"
#include "cli/progress.h"

namespace telltale {

namespace {

CommandSpec MakeSpec() {
  CommandSpec spec;
  spec.name = "convert";
  spec.summary = "write a profile in another format";
  spec.examples = {
      {"telltale convert trace.json.gz trace.pftrace", "a PyTorch trace for ui.perfetto.dev"},
      {"telltale convert trace.pftrace trace.json.gz", "and back: all events and arguments stay"},
  };
  spec.positionals = "IN OUT";
  spec.options = {
      {.name = "to",
       .type = OptionType::kChoice,
       .value = "FORMAT",
       .help = "the format of OUT",
       .default_text = "what the name of OUT says",
       .choices = {"kineto", "perfetto"}},
      {.name = "force", .help = "replace OUT if it exists"},
      {.name = "threads",
       .type = OptionType::kInteger,
       .value = "N",
       .help = "work with N threads",
       .default_text = "all cores",
       .least = 0},
      {.name = "quiet", .help = "no progress on standard error", .letter = 'q'},
  };
  spec.sections = {
      {"Formats",
       {{"kineto", "Kineto and Chrome JSON: .json"},
        {"perfetto", "Perfetto's own format: .pftrace, .perfetto-trace"},
        {"",
         "A name that ends in .gz or .zst is compressed. - is standard output and needs --to."}}},
      ExitCodeSection(),
  };
  return spec;
}

int Report(const Error& error) {
  PrintError(error);
  return ExitCodeOf(error.code);
}

std::optional<ConvertTarget> TargetNamed(std::string_view name) {
  if (name == "kineto") return ConvertTarget::kKineto;
  if (name == "perfetto") return ConvertTarget::kPerfetto;
  return std::nullopt;
}

Result<ConvertTarget> ChooseTarget(const Arguments& arguments, const std::string& out) {
  const auto target = arguments.Has("to") ? TargetNamed(arguments.Text("to")) : TargetForName(out);
  if (target) return *target;
  return Fail(ErrorCode::kUsage,
              out == "-"
                  ? "say with --to in which format standard output is wanted"
                  : fmt::format("the name '{}' does not say which format is wanted; end it in "
                                ".json or .pftrace, or give --to",
                                Printable(out, true)));
}

// Nothing is overwritten by accident, and never what is being read.
Result<void> CheckOutput(const std::vector<InputFile>& inputs, const std::string& out, bool force) {
  if (out == "-") return {};
  std::error_code error;
  if (!std::filesystem::exists(out, error)) return {};
  for (const InputFile& input : inputs) {
    if (std::filesystem::equivalent(input.path, out, error)) {
      return Fail(ErrorCode::kUsage,
                  out + " is the input itself; write to another file, then rename it");
    }
  }
  if (std::filesystem::is_directory(out, error)) {
    return Fail(ErrorCode::kUsage, out + " is a folder; name a file in it");
  }
  if (!force && std::filesystem::is_regular_file(out, error)) {
    return Fail(ErrorCode::kUsage, out + " exists; --force replaces it");
  }
  return {};
}

// What could not be kept, by kind, on standard error.
void SayLosses(const ConvertReport& report) {
  for (const auto& [what, count] : report.lost) {
    PrintError(fmt::format("left out: {} {}", count, what));
  }
}

}  // namespace

const CommandSpec& ConvertCommandSpec() {
  static const CommandSpec spec = MakeSpec();
  return spec;
}

int RunConvert(const Arguments& arguments) {
  std::vector<std::string> paths = arguments.positionals();
  if (paths.size() != 2) {
    PrintError(
        fmt::format("expected IN and OUT, found {} {}\n'telltale convert --help' explains it",
                    paths.size(), paths.size() == 1 ? "path" : "paths"));
    return kExitUsage;
  }
  const std::string out = paths.back();
  paths.pop_back();
  const Result<ConvertTarget> target = ChooseTarget(arguments, out);
  if (!target) return Report(target.error());
  if (paths[0] == "-") {
    PrintError("standard input cannot be read twice: save the trace to a file and convert that");
    return kExitUsage;
  }
  const Result<std::vector<InputFile>> inputs = FindInputs(paths);
  if (!inputs) return Report(inputs.error());
  if (const Result<void> checked = CheckOutput(*inputs, out, arguments.Has("force")); !checked) {
    return Report(checked.error());
  }
  if (inputs->size() != 1) {
    PrintError(fmt::format("{} holds {} files; name one of them", paths[0], inputs->size()));
    return kExitUsage;
  }

  Progress progress(StandardErrorPlace(arguments.Has("quiet")));
  const auto threads =
      static_cast<unsigned>(std::min<int64_t>(arguments.Integer("threads").value_or(0), 1024));
  const Result<Loaded> loaded = LoadWithProgress(paths, std::nullopt, threads, progress);
  if (!loaded) {
    progress.Finish();
    return Report(loaded.error());
  }
  if (loaded->traces.empty()) {
    progress.Finish();
    PrintError("a profile of functions cannot be written as a trace: it has no times of events");
    return kExitUsage;
  }
  progress.Note("writing");
  const std::vector<TracePlan> plans = {PlanWholeTrace(loaded->traces[0])};
  Result<std::unique_ptr<ByteSink>> sink = OpenFileSink(out, CompressionForName(out));
  if (!sink) {
    progress.Finish();
    return Report(sink.error());
  }
  const Result<ConvertReport> report = ConvertTraces(plans, *target, **sink, {});
  progress.Finish();
  if (!report) return Report(report.error());
  if (const Result<void> closed = (*sink)->Close(); !closed) {
    PrintError(closed.error());
    return kExitCheckFailed;
  }
  SayLosses(*report);
  return kExitFine;
}

}  // namespace telltale
