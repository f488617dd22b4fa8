// SPDX-License-Identifier: Apache-2.0
#include "cli/common_options.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "views/render/display.h"

namespace telltale {

ParamSpec ThreadsOption() {
  return {.name = "threads",
          .type = ParamType::kInteger,
          .value = "N",
          .help = "work with N threads",
          .default_text = "all cores",
          .least = 0};
}

void AppendCommonOptions(CommandSpec& spec) {
  const ParamSpec options[] = {
      {.name = "color",
       .help = "colour even where the output is no terminal",
       .aliases = {"colour"}},
      {.name = "no-color", .help = "no colour (also: NO_COLOR=1)", .aliases = {"no-colour"}},
      {.name = "width",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "lay out for N columns",
       .default_text = "the terminal's, or 120",
       .least = static_cast<int64_t>(kSmallestWidth)},
      ThreadsOption(),
      {.name = "quiet", .help = "no progress on standard error"},
  };
  spec.options.insert(spec.options.end(), std::begin(options), std::end(options));
  spec.letters.emplace_back('q', "quiet");
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

Result<OutputFormat> FormatOf(const Arguments& arguments) {
  constexpr std::pair<std::string_view, OutputFormat> kFormats[] = {
      {"json", OutputFormat::kJson},
      {"csv", OutputFormat::kCsv},
      {"markdown", OutputFormat::kMarkdown}};
  OutputFormat format = OutputFormat::kText;
  for (const auto& [name, value] : kFormats) {
    if (!arguments.Has(name)) continue;
    if (format != OutputFormat::kText) {
      return Fail(ErrorCode::kUsage, "--json, --csv and --markdown exclude each other");
    }
    format = value;
  }
  return format;
}

unsigned ThreadsOf(const Arguments& arguments) {
  constexpr int64_t kMost = 1024;
  return static_cast<unsigned>(std::min(arguments.Integer("threads").value_or(0), kMost));
}

}  // namespace telltale
