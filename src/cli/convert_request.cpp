// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/decimal.h"
#include "cli/common_options.h"
#include "cli/convert_target.h"
#include "views/part.h"
#include "views/render/display.h"

namespace telltale {

namespace {

std::vector<std::string_view> TargetNames() {
  std::vector<std::string_view> names;
  for (const FormatWriter* target : ConvertTargets()) names.push_back(target->name);
  return names;
}

std::vector<std::pair<std::string_view, std::string_view>> TargetHelp() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    for (const FormatWriter* target : ConvertTargets()) {
      all.push_back(fmt::format("{}: {}", target->help, fmt::join(target->endings, ", ")));
    }
    return all;
  }();
  std::vector<std::pair<std::string_view, std::string_view>> rows;
  for (size_t i = 0; i < texts.size(); ++i) rows.emplace_back(ConvertTargets()[i]->name, texts[i]);
  rows.emplace_back(
      "",
      "A name that ends in .gz or .zst is compressed. - is standard input or output. Several "
      "traces become one, aligned by their collectives. What OUT cannot hold is listed on "
      "standard error.");
  return rows;
}

std::vector<std::string> SplitCommas(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

// "20ms", "1.5s", "300us", or ns since 1970.
std::optional<int64_t> ParseMoment(std::string_view text, bool& absolute) {
  struct Unit {
    std::string_view name;
    int shift;
  };
  for (const Unit& unit : {Unit{"us", 3}, Unit{"ms", 6}, Unit{"s", 9}}) {
    if (text.ends_with(unit.name)) {
      absolute = false;
      return DecimalToInt(text.substr(0, text.size() - unit.name.size()), unit.shift);
    }
  }
  absolute = true;
  return ParseInteger(text);
}

}  // namespace

CommandSpec ConvertCommandSpec() {
  CommandSpec spec;
  spec.name = "convert";
  spec.summary = "write a profile in another format, or only a part of it";
  spec.examples = {
      {"telltale convert trace.json.gz trace.pftrace", "a PyTorch trace for ui.perfetto.dev"},
      {"telltale convert trace.json.gz part.json.gz --steps 3..4 --redact",
       "two steps, without hosts, users and paths, to show to others"},
      {"telltale convert runs/log all.pftrace", "the traces of all ranks on one clock"},
      {"telltale convert runs points.csv --steps 1000..",
       "points that TensorBoard shows, as a table"},
  };
  spec.positionals = "IN... OUT";
  spec.options = {
      {.name = "to",
       .type = ParamType::kChoice,
       .value = "FORMAT",
       .help = "the format of OUT",
       .default_text = "what the name of OUT says",
       .choices = TargetNames()},
      {.name = "steps",
       .type = ParamType::kText,
       .value = "A..B",
       .help = "only these steps, both ends included; A.. and ..B work too",
       .default_text = "all"},
      StepAnnotationParam(),
      {.name = "window",
       .type = ParamType::kText,
       .value = "FROM..TO",
       .help = "only this time: 20ms..1.5s since the first event, or ns since 1970 without a unit",
       .default_text = "all"},
      {.name = "categories",
       .type = ParamType::kText,
       .value = "A,B",
       .help = "only events of these categories, as written (cpu_op) or by kind (operator)",
       .default_text = "all"},
      {.name = "ranks",
       .type = ParamType::kText,
       .value = "0,3",
       .help = "of several files, only those of these ranks",
       .default_text = "all"},
      {.name = "counters",
       .help = "add utilization, SM efficiency, queue length and copy bandwidth as counters"},
      {.name = "redact", .help = "leave out hosts, users, jobs, environment and paths of files"},
      {.name = "force", .help = "replace OUT if it exists"},
      ThreadsOption(),
      {.name = "quiet", .help = "no progress and no notes on standard error"},
  };
  spec.letters = {{'q', "quiet"}};
  spec.sections = {
      {"Formats", TargetHelp()},
      ExitCodeSection(),
  };
  return spec;
}

Result<TimeWindow> ParseWindow(std::string_view text) {
  const auto wrong = [&] {
    return Fail(ErrorCode::kUsage,
                fmt::format("--window takes FROM..TO such as 20ms..1.5s (since the first event) or "
                            "two times in ns since 1970, not '{}'",
                            Printable(text, true)));
  };
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos || text.size() == 2) return wrong();
  const std::string_view from = text.substr(0, dots);
  const std::string_view to = text.substr(dots + 2);
  TimeWindow result;
  bool from_absolute = false;
  bool to_absolute = false;
  const std::optional<int64_t> begin =
      from.empty() ? std::optional<int64_t>(INT64_MIN / 4) : ParseMoment(from, from_absolute);
  const std::optional<int64_t> end =
      to.empty() ? std::optional<int64_t>(INT64_MAX / 4) : ParseMoment(to, to_absolute);
  if (!begin || !end) return wrong();
  if (!from.empty() && !to.empty() && from_absolute != to_absolute) return wrong();
  if (*begin >= *end) {
    return Fail(ErrorCode::kUsage, fmt::format("--window {} is empty: it ends before it begins",
                                               Printable(text, true)));
  }
  result.window = {*begin, *end};
  result.absolute = from.empty() ? to_absolute : from_absolute;
  return result;
}

Result<ConvertRequest> MakeConvertRequest(const Arguments& arguments) {
  ConvertRequest request;
  request.inputs = arguments.positionals();
  if (request.inputs.size() < 2) {
    return Fail(ErrorCode::kUsage,
                "expected what to read and what to write: telltale convert IN OUT");
  }
  request.output = request.inputs.back();
  request.inputs.pop_back();
  const FormatWriter* const target =
      arguments.Has("to") ? TargetNamed(arguments.Text("to")) : TargetForName(request.output);
  if (target == nullptr) {
    return Fail(ErrorCode::kUsage,
                request.output == "-"
                    ? "say with --to in which format standard output is wanted"
                    : fmt::format("the name '{}' does not say which format is wanted; end it in "
                                  ".json, .pftrace or .csv, or give --to",
                                  Printable(request.output, true)));
  }
  request.options.target = target;
  request.params = arguments;
  request.options.steps = arguments.Has("steps");
  if (const Result<void> fine = SetPart(arguments, request.analysis); !fine) {
    return tl::unexpected(fine.error());
  }
  if (arguments.Has("step-annotation") && !request.options.steps) {
    return Fail(ErrorCode::kUsage, "--step-annotation says what --steps counts; give that too");
  }
  if (arguments.Has("window")) {
    request.options.window_text = std::string(arguments.Text("window"));
    const Result<TimeWindow> window = ParseWindow(request.options.window_text);
    if (!window) return tl::unexpected<Error>(window.error());
    request.options.window = window->window;
    request.options.window_is_absolute = window->absolute;
  }
  request.options.categories = SplitCommas(arguments.Text("categories"));
  for (const std::string& rank : SplitCommas(arguments.Text("ranks"))) {
    const std::optional<int64_t> number = ParseInteger(rank);
    if (!number || *number < 0) {
      return Fail(ErrorCode::kUsage, fmt::format("--ranks takes numbers such as 0,3, not '{}'",
                                                 Printable(rank, true)));
    }
    request.ranks.insert(*number);
  }
  request.options.redact = arguments.Has("redact");
  request.options.counters = arguments.Has("counters");
  if (!IsTraceTarget(*target)) {
    for (const std::string_view option : {"window", "categories", "counters"}) {
      if (arguments.Has(option)) {
        return Fail(ErrorCode::kUsage,
                    fmt::format("--{} works for kineto and perfetto only", option));
      }
    }
  }
  request.force = arguments.Has("force");
  request.quiet = arguments.Has("quiet");
  request.threads = ThreadsOf(arguments);
  request.analysis.threads = request.threads;
  return request;
}

}  // namespace telltale
