// SPDX-License-Identifier: Apache-2.0
#include "views/common_options.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "views/render/display.h"

namespace telltale {

OptionSpec RankOption() {
  return {.name = "rank",
          .type = OptionType::kInteger,
          .value = "N",
          .help = "of several files, only those of this rank",
          .default_text = "all",
          .least = 0};
}

OptionSpec StepAnnotationOption() {
  return {.name = "step-annotation",
          .type = OptionType::kText,
          .value = "REGEX",
          .help = "take ranges whose name matches as steps instead of ProfilerStep#N"};
}

OptionSpec ThreadsOption() {
  return {.name = "threads",
          .type = OptionType::kInteger,
          .value = "N",
          .help = "work with N threads",
          .default_text = "all cores",
          .least = 0};
}

std::vector<OptionSpec> StyleOptions() {
  return {
      {.name = "color",
       .help = "colour even where the output is no terminal",
       .aliases = {"colour"}},
      {.name = "no-color", .help = "no colour (also: NO_COLOR=1)", .aliases = {"no-colour"}},
      {.name = "width",
       .type = OptionType::kInteger,
       .value = "N",
       .help = "lay out for N columns",
       .default_text = "the terminal's, or 120",
       .least = static_cast<int64_t>(kSmallestWidth)},
  };
}

void AppendCommonOptions(CommandSpec& spec) {
  for (OptionSpec& option : StyleOptions()) spec.options.push_back(std::move(option));
  spec.options.push_back(ThreadsOption());
  spec.options.push_back({.name = "quiet", .help = "no progress on standard error", .letter = 'q'});
}

HelpSection ExitCodeSection() {
  return {"Exit codes",
          {{"0", "fine, also if only part of the input could be used"},
           {"1", "a check failed, or the result could not be written"},
           {"2", "wrong usage"},
           {"3", "no input could be read"}}};
}

Result<StyleRequest> MakeStyleRequest(const Arguments& arguments) {
  StyleRequest style;
  if (arguments.Has("color") && arguments.Has("no-color")) {
    return Fail(ErrorCode::kUsage, "--color and --no-color exclude each other");
  }
  if (arguments.Has("color")) style.color = ColorChoice::kAlways;
  if (arguments.Has("no-color")) style.color = ColorChoice::kNever;
  if (const auto width = arguments.Integer("width")) {
    style.width = static_cast<size_t>(std::min<int64_t>(*width, 10'000));
  }
  return style;
}

Result<Pattern> ParseExpression(std::string_view option, std::string_view text) {
  Result<Pattern> pattern = Pattern::Compile(text);
  if (pattern) return pattern;
  const Error& error = pattern.error();
  return Fail(ErrorCode::kUsage,
              fmt::format("--{} '{}' is no regular expression: {} (character {})", option,
                          Printable(text, true), error.message, error.offset.value_or(0) + 1));
}

Error TooMuchWork(std::string_view expression) {
  return {ErrorCode::kUsage,
          fmt::format("the regular expression '{}' is too much work on the names of this profile; "
                      "shorten its repetitions",
                      Printable(expression, true)),
          std::nullopt};
}

Result<void> CheckExpressions(const TraceContext& context) {
  const std::string& expression = context.facts.given_up_expression;
  if (expression.empty()) return {};
  return tl::unexpected(TooMuchWork(expression));
}

unsigned ThreadsOf(const Arguments& arguments) {
  constexpr int64_t kMost = 1024;
  return static_cast<unsigned>(std::min(arguments.Integer("threads").value_or(0), kMost));
}

}  // namespace telltale
