// SPDX-License-Identifier: Apache-2.0
#include "views/part.h"

#include <fmt/format.h>

#include "views/expressions.h"
#include "views/render/display.h"

namespace telltale {

namespace {

// What shows a view: a command of its own, as diff and convert have none; or the report.
std::string ShowingView(const ParamValues& params, std::string_view view) {
  return fmt::format("'{}{}'", params.spelling() == Spelling::kOption ? "telltale profile " : "",
                     params.Spelled("view", view));
}

}  // namespace

ParamSpec RankParam() {
  return {.name = "rank",
          .type = ParamType::kInteger,
          .value = "N",
          .help = "of several files, only those of this rank",
          .default_text = "all",
          .least = 0};
}

ParamSpec StepAnnotationParam() {
  return {.name = "step-annotation",
          .type = ParamType::kText,
          .value = "REGEX",
          .help = "take ranges whose name matches as steps instead of ProfilerStep#N"};
}

std::vector<ParamSpec> PartParams() {
  return {{.name = "steps",
           .type = ParamType::kText,
           .value = "A..B",
           .help = "only these steps, both ends included; A.. and ..B work too",
           .default_text = "all",
           .aliases = {"step"}},
          {.name = "inside",
           .type = ParamType::kText,
           .value = "REGEX",
           .help = "only what starts or is launched inside annotations whose name matches, on any "
                   "thread"},
          RankParam(),
          StepAnnotationParam()};
}

Result<void> SetPart(const ParamValues& params, AnalysisOptions& options) {
  if (params.Has("steps")) {
    const Result<StepRange> range = ParseStepRange(params.Text("steps"));
    if (!range) return params.Wrong("steps", range.error().message);
    options.first_step = range->first;
    options.last_step = range->last;
  }
  options.step_annotation = std::string(params.Text("step-annotation"));
  options.inside = std::string(params.Text("inside"));
  if (params.Has("inside") && options.inside.empty()) {
    return params.Wrong("inside", "takes a regular expression that finds names of ranges");
  }
  for (const std::string_view name : {"step-annotation", "inside"}) {
    if (!params.Has(name)) continue;
    const Result<Pattern> fine = ParseExpression(params, name, params.Text(name));
    if (!fine) return tl::unexpected(fine.error());
  }
  return {};
}

Result<StepRange> ParseStepRange(std::string_view text) {
  const auto wrong = [&] {
    return Fail(ErrorCode::kUsage, fmt::format("takes a range such as 3..5, 3.. or 7, not '{}'",
                                               Printable(text, true)));
  };
  StepRange range;
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    range.first = range.last = ParseInteger(text);
    if (!range.first) return wrong();
    return range;
  }
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = text.substr(dots + 2);
  if (first.empty() && last.empty()) return wrong();
  range.first = ParseInteger(first);
  range.last = ParseInteger(last);
  if ((!first.empty() && !range.first) || (!last.empty() && !range.last)) return wrong();
  if (range.first && range.last && *range.first > *range.last) {
    return Fail(ErrorCode::kUsage, fmt::format("{}..{} is empty: it ends before it begins",
                                               *range.first, *range.last));
  }
  return range;
}

Result<void> CheckPart(const ParamValues& params, const Profile& profile) {
  const bool steps = params.Has("steps");
  if (steps && profile.report.steps.rows.empty()) {
    return Fail(ErrorCode::kUsage,
                DescribeNoSteps(params, "this trace", profile.report.steps.source));
  }
  if (profile.nothing_selected) {
    return params.Wrong("inside",
                        fmt::format("'{}' matches no range of {}\n'{}' lists those it has",
                                    Printable(params.Text("inside"), true),
                                    steps ? "the selected steps" : "this trace",
                                    params.Spelled("view", "annotations")));
  }
  return {};
}

std::string DescribeNoSteps(const ParamValues& params, std::string_view where, StepSource source) {
  const std::string steps = params.Spelled("steps", Printable(params.Text("steps"), true));
  const std::string trace = Printable(where, true);
  if (source != StepSource::kWholeTrace) {
    return fmt::format("{} matches no step of {}; {} lists those it has", steps, trace,
                       ShowingView(params, "steps"));
  }
  if (!params.Text("step-annotation").empty()) {
    return fmt::format(
        "{}: no range of {} matches {} '{}', so it has no steps; {} lists its ranges", steps, trace,
        params.Spelled("step-annotation"), Printable(params.Text("step-annotation"), true),
        ShowingView(params, "annotations"));
  }
  return fmt::format(
      "{}: {} marks no steps; call prof.step() in the training loop and record again, or name a "
      "range that stands for a step with {}",
      steps, trace, params.Spelled("step-annotation"));
}

}  // namespace telltale
