// SPDX-License-Identifier: Apache-2.0
#include "views/diff/request.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/diff/diff.h"
#include "analysis/diff/series.h"
#include "views/common_options.h"
#include "views/profile_request.h"
#include "views/render/display.h"

namespace telltale {

namespace {

// An expression that no name matches: then a trace has no steps.
constexpr std::string_view kMatchesNothing = "[^\\s\\S]";

CommandSpec MakeSpec() {
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
  spec.options = {
      {.name = "fail-above",
       .type = OptionType::kText,
       .value = "P%",
       .help = "exit code 1 if something grew by more than P percent and that is no noise"},
      {.name = "on",
       .type = OptionType::kChoice,
       .value = "TABLE",
       .help = "what --fail-above looks at: the step, or any row of a table that holds at least "
               "1 % of it",
       .default_text = "steps, or functions",
       .choices = {"steps", "operators", "operators_device", "runtime", "kernels", "modules",
                   "functions"}},
      {.name = "steps",
       .type = OptionType::kText,
       .value = "A..B",
       .help = "only these steps of both, both ends included",
       .default_text = "all complete ones",
       .aliases = {"step"}},
      RankOption(),
      StepAnnotationOption(),
      {.name = "limit",
       .type = OptionType::kInteger,
       .value = "N",
       .help = "show at most N rows of a table; 0 shows all",
       .default_text = "15, all with --json and --csv",
       .least = -1},
      {.name = "json", .help = "one JSON document on standard output"},
      {.name = "markdown", .help = "tables for a pull request"},
      {.name = "csv", .help = "all tables as one CSV"},
  };
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

// "5%", "5 %" or "5" is 0.05.
Result<double> ParsePercent(std::string_view text) {
  const std::string_view given = text;
  while (!text.empty() && (text.back() == '%' || text.back() == ' ')) text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(percent) ||
      percent < 0) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--fail-above takes a percentage such as 5%, not '{}'",
                            Printable(given, true)));
  }
  return percent / 100;
}

std::vector<TraceContext> Prepare(const Loaded& loaded, const AnalysisOptions& options) {
  std::vector<TraceContext> contexts;
  for (const Trace& trace : loaded.traces) contexts.push_back(PrepareTrace(trace, options));
  return contexts;
}

size_t CountSteps(std::span<const TraceContext> files) {
  size_t count = 0;
  for (const TraceContext& context : files) {
    for (const Step& step : context.steps.rows) {
      if (CountsForDiff(context, step)) ++count;
    }
  }
  return count;
}

Result<void> CompareTraces(const LoadedSide& before, const LoadedSide& after,
                           const DiffRequest& request, DiffDocument& document) {
  AnalysisOptions options = request.analysis;
  std::vector<TraceContext> made_before;
  std::vector<TraceContext> made_after;
  const auto contexts_of = [&](const LoadedSide& side, std::vector<TraceContext>& made) {
    if (side.contexts) return *side.contexts;
    made = Prepare(side.loaded, options);
    return std::span<const TraceContext>(made);
  };
  std::span<const TraceContext> a = contexts_of(before, made_before);
  std::span<const TraceContext> b = contexts_of(after, made_after);
  for (const std::span<const TraceContext> side : {a, b}) {
    for (const TraceContext& context : side) {
      if (const Result<void> known = CheckExpressions(context); !known) return known;
    }
  }
  const bool steps = HasSteps(a) && HasSteps(b);
  if (!steps && !request.steps_text.empty()) {
    return Fail(ErrorCode::kUsage,
                DescribeNoSteps(request.steps_text,
                                fmt::format("'{}'", HasSteps(a) ? request.after : request.before),
                                StepSource::kWholeTrace, options.step_annotation));
  }
  if (!steps && (HasSteps(a) || HasSteps(b))) {
    document.remarks.emplace_back(fmt::format(
        "Only '{}' has steps, so whole traces are compared: a longer capture looks slower. Name a "
        "range that both have with --step-annotation.",
        HasSteps(a) ? request.before : request.after));
    options.step_annotation = kMatchesNothing;
    made_before = Prepare(before.loaded, options);
    made_after = Prepare(after.loaded, options);
    a = made_before;
    b = made_after;
  }
  if (CountSteps(a) == 0 || CountSteps(b) == 0) {
    return Fail(
        ErrorCode::kUsage,
        fmt::format(
            "'{}' has no complete step{} to compare",
            CountSteps(a) == 0 ? request.before : request.after,
            request.analysis.first_step || request.analysis.last_step ? " in --steps" : ""));
  }
  document.report = DiffTraces(a, b);
  if (steps) {
    document.remarks.emplace_back(
        "All values are means over complete steps (of all ranks), so that captures of different "
        "lengths compare.");
    if (document.report.tables.back().name == "modules") {
      document.remarks.emplace_back("Modules: the whole capture, divided by its number of steps.");
    }
  }
  return {};
}

Result<void> Compare(const LoadedSide& before_side, const LoadedSide& after_side,
                     const DiffRequest& request, DiffDocument& document) {
  const Loaded& before = before_side.loaded;
  const Loaded& after = after_side.loaded;
  if (!before.traces.empty() && !after.traces.empty()) {
    return CompareTraces(before_side, after_side, request, document);
  }
  if (before.functions.empty() || after.functions.empty()) {
    const bool first = !before.traces.empty();
    return Fail(
        ErrorCode::kUsage,
        fmt::format("'{}' is a trace and '{}' is a profile of functions: only two of a kind "
                    "can be compared",
                    first ? request.before : request.after,
                    first ? request.after : request.before));
  }
  if (!request.steps_text.empty()) {
    return Fail(ErrorCode::kUsage, "--steps needs two traces: profiles of functions have no steps");
  }
  const ValueUnit unit = before.functions[0].unit;
  const ValueUnit other = after.functions[0].unit;
  if (unit != other) {
    return Fail(ErrorCode::kUsage,
                fmt::format("'{}' counts {} and '{}' counts {}: they cannot be compared",
                            request.before, NameOf(unit), request.after, NameOf(other)));
  }
  document.report = DiffFunctions(before.functions, after.functions);
  document.remarks.emplace_back("Functions are joined by file and name, whatever their line.");
  if (before.functions.size() < 2 || after.functions.size() < 2) {
    document.remarks.emplace_back(
        "A profile holds sums alone, so nobody knows the noise; with a folder of several profiles "
        "on each side it is known.");
  }
  return {};
}

Result<void> ApplyGate(const DiffRequest& request, DiffDocument& document) {
  if (!request.fail_above) return {};
  const std::vector<DiffTable>& tables = document.report.tables;
  const std::string_view wanted = request.on.empty() ? tables.front().name : request.on;
  for (const DiffTable& table : tables) {
    if (table.name != wanted) continue;
    document.gate = DiffGate{table.name, *request.fail_above, nullptr};
    document.gate->failed = FirstWorse(table, *request.fail_above);
    return {};
  }
  std::string known;
  for (const DiffTable& table : tables)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", table.name);
  return Fail(
      ErrorCode::kUsage,
      fmt::format("--on {}: these profiles have no such table; they have {}", wanted, known));
}

}  // namespace

const CommandSpec& DiffCommandSpec() {
  static const CommandSpec spec = MakeSpec();
  return spec;
}

Result<DiffRequest> MakeDiffRequest(const Arguments& arguments) {
  const auto wrong = [](std::string message) {
    return Fail(ErrorCode::kUsage, std::move(message));
  };
  DiffRequest request;
  if (arguments.positionals().size() != 2) {
    return wrong(fmt::format("diff compares two profiles, before and after; {} named",
                             arguments.positionals().size() == 1
                                 ? std::string("one is")
                                 : fmt::format("{} are", arguments.positionals().size())));
  }
  request.before = arguments.positionals()[0];
  request.after = arguments.positionals()[1];
  if (request.before == "-" && request.after == "-") {
    return wrong("standard input can be one of the two profiles, not both");
  }
  const int formats = static_cast<int>(arguments.Has("json")) +
                      static_cast<int>(arguments.Has("markdown")) +
                      static_cast<int>(arguments.Has("csv"));
  if (formats > 1) return wrong("--json, --markdown and --csv exclude each other");
  if (arguments.Has("on") && !arguments.Has("fail-above")) {
    return wrong("--on says what --fail-above looks at; give that too");
  }
  if (arguments.Has("fail-above")) {
    const Result<double> percent = ParsePercent(arguments.Text("fail-above"));
    if (!percent) return tl::unexpected<Error>(percent.error());
    request.fail_above = *percent;
  }
  request.on = arguments.Text("on");
  if (arguments.Has("steps")) {
    request.steps_text = std::string(arguments.Text("steps"));
    const Result<StepRange> range = ParseStepRange(request.steps_text);
    if (!range) return tl::unexpected<Error>(range.error());
    request.analysis.first_step = range->first;
    request.analysis.last_step = range->last;
  }
  request.analysis.step_annotation = std::string(arguments.Text("step-annotation"));
  if (arguments.Has("step-annotation")) {
    const auto steps = ParseExpression("step-annotation", request.analysis.step_annotation);
    if (!steps) return tl::unexpected<Error>(steps.error());
  }
  request.analysis.threads = ThreadsOf(arguments);
  request.rank = arguments.Integer("rank");
  request.limit = arguments.Integer("limit");
  const Result<StyleRequest> style = MakeStyleRequest(arguments);
  if (!style) return tl::unexpected<Error>(style.error());
  request.style = *style;
  return request;
}

Result<DiffDocument> MakeDiff(const LoadedSide& before, const LoadedSide& after,
                              const DiffRequest& request) {
  DiffDocument document;
  document.before = request.before;
  document.after = request.after;
  Result<void> done = Compare(before, after, request, document);
  if (done) done = ApplyGate(request, document);
  if (!done) return tl::unexpected(done.error());
  return document;
}

}  // namespace telltale
