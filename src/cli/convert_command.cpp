// SPDX-License-Identifier: Apache-2.0
// `telltale convert IN… OUT`: a profile in another format, cut, merged, or with private facts left
// out.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "analysis/functions/trace_functions.h"
#include "cli/commands.h"
#include "cli/convert_request.h"
#include "cli/convert_series.h"
#include "cli/convert_target.h"
#include "cli/interrupt.h"
#include "cli/loading.h"
#include "cli/progress.h"
#include "runs/load.h"
#include "views/expressions.h"
#include "views/part.h"

namespace telltale {

namespace {

int Report(const Error& error) {
  PrintError(error);
  return ExitCodeOf(error.code);
}

// Standard input as a file: a trace is read twice.
class SavedInput {
 public:
  SavedInput() = default;
  SavedInput(const SavedInput&) = delete;
  SavedInput& operator=(const SavedInput&) = delete;
  ~SavedInput() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Result<std::string> Save() {
    const char* folder = std::getenv("TMPDIR");
    std::string path =
        std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/telltale-XXXXXX";
    const auto reason = [] { return std::generic_category().message(errno); };
    int file = -1;
    {
      const HoldInterrupts hold;
      file = ::mkostemp(path.data(), O_CLOEXEC);
      if (file < 0) {
        return Fail(ErrorCode::kUnwritable,
                    "standard input could not be saved to " + path + ": " + reason());
      }
      path_ = path;
      removed_.Set(path_);
    }
    std::vector<char> buffer(size_t{1} << 20);
    std::optional<Error> failure;
    while (!failure) {
      const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      if (got == 0) break;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        failure =
            Error{ErrorCode::kUnreadable, "standard input could not be read: " + reason(), {}};
      } else if (!WriteAll(file, {buffer.data(), static_cast<size_t>(got)})) {
        failure = Error{ErrorCode::kUnwritable,
                        "standard input could not be saved to " + path_ + ": " + reason() +
                            "; TMPDIR names another folder",
                        {}};
      }
    }
    ::close(file);
    if (failure) return tl::unexpected(*failure);
    return path_;
  }

 private:
  static bool WriteAll(int file, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }

  std::string path_;
  RemovedOnInterrupt removed_;
};

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

Result<ConvertReport> Convert(const ConvertRequest& request, Subject subject, ByteSink& sink) {
  const bool to_trace = IsTraceTarget(*request.options.target);
  if (!request.ranks.empty()) {
    subject = subject.Only([&](const Artifact& artifact) {
      return artifact.As<Trace>() == nullptr || request.ranks.contains(artifact.source().rank);
    });
    if (!subject.Has<Trace>()) {
      return Fail(ErrorCode::kUsage, "none of the files is of a rank that --ranks names");
    }
  }
  if (IsSeriesTarget(*request.options.target)) {
    return Fail(ErrorCode::kUsage, fmt::format("only event files of TensorBoard become {}",
                                               request.options.target->name));
  }
  if (IsCsv(*request.options.target) && request.options.steps) {
    return Fail(ErrorCode::kUsage, "--steps does not work for csv of a trace");
  }
  const std::vector<const Trace*> traces = subject.Each<Trace>();
  if (traces.empty() && (to_trace || IsCsv(*request.options.target))) {
    return Fail(ErrorCode::kUsage,
                "this holds none of the events that a trace is made of; "
                "a profile of functions can become pstats, speedscope or collapsed");
  }
  if (IsCsv(*request.options.target)) {
    return ConvertToCsv(traces, request.options, request.threads, sink);
  }
  if (traces.empty() && request.options.steps) {
    return Fail(ErrorCode::kUsage, "--steps needs a trace: a profile of functions has no steps");
  }
  std::vector<TraceContext> contexts;
  contexts.reserve(traces.size());
  for (const Trace* trace : traces) {
    contexts.push_back(PrepareTrace(*trace, request.analysis));
    if (const Result<void> known = CheckExpressions(contexts.back()); !known)
      return tl::unexpected(known.error());
    const std::vector<Step>& steps = contexts.back().steps.rows;
    if (request.options.steps &&
        std::none_of(steps.begin(), steps.end(), [](const Step& step) { return step.selected; })) {
      return Fail(ErrorCode::kUsage, DescribeNoSteps(request.params, trace->source.path,
                                                     contexts.back().steps.source));
    }
  }
  if (to_trace) return ConvertTraces(contexts, request.options, sink, {});
  const std::vector<ArtifactId> functions = subject.IdsOf<FunctionProfile>();
  if (traces.size() + functions.size() != 1) {
    return Fail(
        ErrorCode::kUsage,
        "several profiles cannot be one of functions; name one file, or a rank with --ranks");
  }
  if (!functions.empty()) {
    const Redactor redactor;
    Artifact artifact = subject.Take(functions.front());
    return ConvertFunctions(std::move(*artifact.As<FunctionProfile>()), *request.options.target,
                            request.options.redact ? &redactor : nullptr, sink);
  }
  FunctionProfile of_trace = FunctionsOfTrace(contexts.front());
  if (of_trace.functions.empty()) {
    return Fail(ErrorCode::kUsage,
                traces.front()->source.path +
                    " has no Python functions: record with with_stack=True to have them");
  }
  const Redactor redactor(*traces.front());
  return ConvertFunctions(std::move(of_trace), *request.options.target,
                          request.options.redact ? &redactor : nullptr, sink);
}

}  // namespace

int RunConvert(const Arguments& arguments) {
  Result<ConvertRequest> request = MakeConvertRequest(arguments);
  if (!request) return Report(request.error());
  SavedInput saved;
  const auto from_pipe = std::find(request->inputs.begin(), request->inputs.end(), "-");
  if (from_pipe != request->inputs.end()) {
    Result<std::string> path = saved.Save();
    if (!path) return Report(path.error());
    *from_pipe = std::move(*path);
  }
  const Result<std::vector<InputFile>> inputs = FindInputs(
      request->inputs, IsSeriesTarget(*request->options.target) ? FolderContent::kEventFiles
                       : request->options.target->series ? FolderContent::kProfilesOrEventFiles
                                                         : FolderContent::kProfiles);
  if (!inputs) return Report(inputs.error());
  if (const Result<void> checked = CheckOutput(*inputs, request->output, request->force);
      !checked) {
    return Report(checked.error());
  }

  const Result<bool> series = AreEventFiles(*inputs);
  if (!series) return Report(series.error());
  Progress progress(StandardErrorPlace(request->quiet));
  Result<Subject> subject =
      *series ? Result<Subject>(Subject())
              : LoadWithProgress(request->inputs, std::nullopt, request->threads, progress);
  if (!subject) {
    progress.Finish();
    return Report(subject.error());
  }
  progress.Note("writing");
  RemovedOnInterrupt unfinished;
  Result<std::unique_ptr<ByteSink>> sink = [&] {
    const HoldInterrupts hold;
    return OpenFileSink(request->output, CompressionForName(request->output),
                        [&](std::string_view path) { unfinished.Set(path); });
  }();
  if (!sink) {
    progress.Finish();
    return Report(sink.error());
  }
  const Result<ConvertReport> report = *series ? ConvertSeries(*request, *inputs, **sink)
                                               : Convert(*request, *std::move(subject), **sink);
  progress.Finish();
  if (!report) return Report(report.error());
  if (const Result<void> closed = (*sink)->Close(); !closed) return Report(closed.error());
  if (!request->quiet) {
    for (const std::string& note : report->notes) PrintError(note);
    for (const auto& [what, count] : report->lost) {
      PrintError(fmt::format("left out: {} {}", count, what));
    }
  }
  return kExitFine;
}

}  // namespace telltale
