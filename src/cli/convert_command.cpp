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

#include "analysis/trace_functions.h"
#include "cli/commands.h"
#include "cli/convert_request.h"
#include "cli/loading.h"
#include "cli/progress.h"
#include "report/common_options.h"

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
    path_ =
        std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/telltale-XXXXXX";
    const int file = ::mkostemp(path_.data(), O_CLOEXEC);
    const auto fail = [&] {
      const std::string reason = std::generic_category().message(errno);
      return Fail(ErrorCode::kUnreadable,
                  "standard input could not be saved to " + path_ + ": " + reason);
    };
    if (file < 0) return fail();
    std::vector<char> buffer(size_t{1} << 20);
    for (;;) {
      const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      if (got == 0) break;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 || ::write(file, buffer.data(), static_cast<size_t>(got)) != got) {
        auto failure = fail();
        ::close(file);
        return failure;
      }
    }
    ::close(file);
    return path_;
  }

 private:
  std::string path_;
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

Result<ConvertReport> Convert(const ConvertRequest& request, Loaded& loaded, ByteSink& sink) {
  const bool to_trace = IsTraceTarget(request.options.target);
  if (!request.ranks.empty()) {
    std::erase_if(loaded.traces,
                  [&](const Trace& trace) { return !request.ranks.contains(trace.source.rank); });
    if (loaded.traces.empty()) {
      return Fail(ErrorCode::kUsage, "none of the files is of a rank that --ranks names");
    }
  }
  if (loaded.traces.empty() && (to_trace || request.options.target == ConvertTarget::kCsv)) {
    return Fail(ErrorCode::kUsage,
                "this holds none of the events that a trace is made of; "
                "a profile of functions can become pstats, speedscope or collapsed");
  }
  if (request.options.target == ConvertTarget::kCsv) {
    return ConvertToCsv(loaded.traces, request.threads, sink);
  }
  std::vector<TraceContext> contexts;
  contexts.reserve(loaded.traces.size());
  for (const Trace& trace : loaded.traces) {
    contexts.push_back(PrepareTrace(trace, request.analysis));
    if (const Result<void> known = CheckExpressions(contexts.back()); !known)
      return tl::unexpected(known.error());
    const std::vector<Step>& steps = contexts.back().steps.rows;
    if (request.options.steps &&
        std::none_of(steps.begin(), steps.end(), [](const Step& step) { return step.selected; })) {
      return Fail(ErrorCode::kUsage, trace.source.path + " has none of these steps");
    }
  }
  if (to_trace) return ConvertTraces(contexts, request.options, sink, {});
  if (loaded.traces.size() + loaded.functions.size() != 1) {
    return Fail(
        ErrorCode::kUsage,
        "several profiles cannot be one of functions; name one file, or a rank with --ranks");
  }
  if (!loaded.functions.empty()) {
    return ConvertFunctions(loaded.functions.front(), request.options.target, sink);
  }
  const FunctionProfile functions = FunctionsOfTrace(contexts.front());
  if (functions.functions.empty()) {
    return Fail(ErrorCode::kUsage,
                loaded.traces.front().source.path +
                    " has no Python functions: record with with_stack=True to have them");
  }
  return ConvertFunctions(functions, request.options.target, sink);
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
  const Result<std::vector<InputFile>> inputs = FindInputs(request->inputs);
  if (!inputs) return Report(inputs.error());
  if (const Result<void> checked = CheckOutput(*inputs, request->output, request->force);
      !checked) {
    return Report(checked.error());
  }

  Progress progress(StandardErrorPlace(request->quiet));
  Result<Loaded> loaded =
      LoadWithProgress(request->inputs, std::nullopt, request->threads, progress);
  if (!loaded) {
    progress.Finish();
    return Report(loaded.error());
  }
  progress.Note("writing");
  Result<std::unique_ptr<ByteSink>> sink =
      OpenFileSink(request->output, CompressionForName(request->output));
  if (!sink) {
    progress.Finish();
    return Report(sink.error());
  }
  const Result<ConvertReport> report = Convert(*request, *loaded, **sink);
  progress.Finish();
  if (!report) return Report(report.error());
  if (const Result<void> closed = (*sink)->Close(); !closed) {
    PrintError(closed.error());
    return kExitCheckFailed;
  }
  if (!request->quiet) {
    for (const std::string& note : report->notes) PrintError(note);
    for (const auto& [what, count] : report->lost) {
      PrintError(fmt::format("left out: {} {}", count, what));
    }
  }
  return kExitFine;
}

}  // namespace telltale
