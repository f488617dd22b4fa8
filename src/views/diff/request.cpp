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
#include "views/diff/causes.h"
#include "views/expressions.h"
#include "views/part.h"
#include "views/render/display.h"

namespace telltale {

namespace {

// An expression that no name matches: then a trace has no steps.
constexpr std::string_view kMatchesNothing = "[^\\s\\S]";

// "5%", "5 %" or "5" is 0.05.
std::optional<double> ParsePercent(std::string_view text) {
  while (!text.empty() && (text.back() == '%' || text.back() == ' ')) text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(percent) ||
      percent < 0) {
    return std::nullopt;
  }
  return percent / 100;
}

std::vector<TraceContext> Prepare(const Subject& subject, const AnalysisOptions& options) {
  std::vector<TraceContext> contexts;
  for (const Trace* trace : subject.Each<Trace>())
    contexts.push_back(PrepareTrace(*trace, options));
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

Result<void> CompareTraces(const ComparedSubject& before, const ComparedSubject& after,
                           const DiffRequest& request, DiffDocument& document) {
  AnalysisOptions options = request.analysis;
  std::vector<TraceContext> made_before;
  std::vector<TraceContext> made_after;
  const auto contexts_of = [&](const ComparedSubject& side, std::vector<TraceContext>& made) {
    if (side.contexts) return *side.contexts;
    made = Prepare(side.subject, options);
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
  if (!steps && request.params.Has("steps")) {
    return Fail(ErrorCode::kUsage,
                DescribeNoSteps(request.params,
                                fmt::format("'{}'", (HasSteps(a) ? after : before).subject.name),
                                StepSource::kWholeTrace));
  }
  if (!steps && (HasSteps(a) || HasSteps(b))) {
    document.remarks.emplace_back(fmt::format(
        "Only '{}' has steps, so whole traces are compared: a longer capture looks slower. Name a "
        "range that both have with {}.",
        (HasSteps(a) ? before : after).subject.name, request.params.Spelled("step-annotation")));
    options.step_annotation = kMatchesNothing;
    made_before = Prepare(before.subject, options);
    made_after = Prepare(after.subject, options);
    a = made_before;
    b = made_after;
  }
  if (CountSteps(a) == 0 || CountSteps(b) == 0) {
    return Fail(
        ErrorCode::kUsage,
        fmt::format("'{}' has no complete step{} to compare",
                    (CountSteps(a) == 0 ? before : after).subject.name,
                    request.params.Has("steps") ? " in " + request.params.Spelled("steps") : ""));
  }
  document.report = DiffTraces(a, b);
  document.causes = CompareCauses(a, b);
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

Result<void> Compare(const ComparedSubject& before_side, const ComparedSubject& after_side,
                     const DiffRequest& request, DiffDocument& document) {
  const Subject& before = before_side.subject;
  const Subject& after = after_side.subject;
  if (before.Has<Trace>() && after.Has<Trace>()) {
    return CompareTraces(before_side, after_side, request, document);
  }
  const std::vector<const FunctionProfile*> a = before.Each<FunctionProfile>();
  const std::vector<const FunctionProfile*> b = after.Each<FunctionProfile>();
  for (const Subject* const side : {&before, &after}) {
    if (side->Has<SeriesSet>() && !side->Has<Trace>() && !side->Has<FunctionProfile>()) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("'{}' is an event file of TensorBoard, and no profile; telltale runs "
                              "compare tells how two runs differ",
                              side->name));
    }
  }
  if (a.empty() || b.empty()) {
    const bool first = before.Has<Trace>();
    return Fail(
        ErrorCode::kUsage,
        fmt::format("'{}' is a trace and '{}' is a profile of functions: only two of a kind "
                    "can be compared",
                    first ? before.name : after.name, first ? after.name : before.name));
  }
  if (request.params.Has("steps")) {
    return request.params.Wrong("steps", "needs two traces: profiles of functions have no steps");
  }
  const ValueUnit unit = a[0]->unit;
  const ValueUnit other = b[0]->unit;
  if (unit != other) {
    return Fail(ErrorCode::kUsage,
                fmt::format("'{}' counts {} and '{}' counts {}: they cannot be compared",
                            before.name, NameOf(unit), after.name, NameOf(other)));
  }
  document.report = DiffFunctions(a, b);
  document.remarks.emplace_back("Functions are joined by file and name, whatever their line.");
  if (a.size() < 2 || b.size() < 2) {
    document.remarks.emplace_back(
        "A profile holds sums alone, so nobody knows the noise; with a folder of several profiles "
        "on each side it is known.");
  }
  return {};
}

Result<void> ApplyGate(const DiffRequest& request, DiffDocument& document) {
  if (!request.fail_above) return {};
  const std::vector<DiffTable>& tables = document.report.tables;
  const std::string_view wanted =
      request.params.Has("on") ? request.params.Text("on") : tables.front().name;
  for (const DiffTable& table : tables) {
    if (table.name != wanted) continue;
    document.gate = DiffGate{table.name, *request.fail_above, nullptr};
    document.gate->failed = FirstWorse(table, *request.fail_above);
    return {};
  }
  std::string known;
  for (const DiffTable& table : tables)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", table.name);
  return Fail(ErrorCode::kUsage, fmt::format("{}: these profiles have no such table; they have {}",
                                             request.params.Spelled("on", wanted), known));
}

}  // namespace

std::vector<ParamSpec> DiffParams() {
  return {
      {.name = "fail-above",
       .type = ParamType::kText,
       .value = "P%",
       .help = "exit code 1 if something grew by more than P percent and that is no noise"},
      {.name = "on",
       .type = ParamType::kChoice,
       .value = "TABLE",
       .help = "what --fail-above looks at: the step, or any row of a table that holds at least "
               "1 % of it",
       .default_text = "steps, or functions",
       .choices = {"steps", "operators", "operators_device", "runtime", "kernels", "modules",
                   "functions"}},
      {.name = "steps",
       .type = ParamType::kText,
       .value = "A..B",
       .help = "only these steps of both, both ends included",
       .default_text = "all complete ones",
       .aliases = {"step"}},
      RankParam(),
      StepAnnotationParam(),
      {.name = "limit",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "show at most N rows of a table; 0 shows all",
       .default_text = "15, all with --json and --csv",
       .least = -1},
  };
}

Result<DiffRequest> MakeDiffRequest(const ParamValues& params) {
  DiffRequest request;
  request.params = params;
  if (params.Has("on") && !params.Has("fail-above")) {
    return params.Wrong(
        "on", fmt::format("says what {} looks at; give that too", params.Spelled("fail-above")));
  }
  if (params.Has("fail-above")) {
    request.fail_above = ParsePercent(params.Text("fail-above"));
    if (!request.fail_above) {
      return params.Wrong("fail-above", fmt::format("takes a percentage such as 5%, not '{}'",
                                                    Printable(params.Text("fail-above"), true)));
    }
  }
  if (const Result<void> fine = SetPart(params, request.analysis); !fine) {
    return tl::unexpected(fine.error());
  }
  request.rank = params.Integer("rank");
  request.limit = params.Integer("limit");
  return request;
}

Result<DiffDocument> MakeDiff(const ComparedSubject& before, const ComparedSubject& after,
                              const DiffRequest& request) {
  DiffDocument document;
  document.before = before.subject.name;
  document.after = after.subject.name;
  Result<void> done = Compare(before, after, request, document);
  if (done) done = ApplyGate(request, document);
  if (!done) return tl::unexpected(done.error());
  return document;
}

}  // namespace telltale
