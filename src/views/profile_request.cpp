// SPDX-License-Identifier: Apache-2.0
#include "views/profile_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "views/common_options.h"
#include "views/render/display.h"
#include "views/torch_names.h"

namespace telltale {

namespace {

std::vector<std::string_view> AllViewNames() {
  std::vector<std::string_view> names = {"overview"};
  for (const SectionSpec& section : Sections()) names.push_back(section.name);
  return names;
}

CommandSpec MakeSpec() {
  CommandSpec spec;
  spec.name = "profile";
  spec.summary = "say why a training run is slow, from its PyTorch trace";
  spec.examples = {
      {"telltale profile trace.json.gz", "where the time of a step goes, and what to try"},
      {"telltale profile runs/log --rank 0 --view operators --sort self_cpu_time_total",
       "the operators of rank 0 in a folder of traces, by their own CPU time"},
      {"telltale profile trace.json --json --view kernels", "all kernels, for a program"},
  };
  spec.positionals = "PATH...";
  spec.options = {
      {.name = "view",
       .type = OptionType::kChoice,
       .value = "NAME",
       .help = "what to show",
       .default_text = "overview",
       .choices = AllViewNames()},
      {.name = "group-by",
       .type = OptionType::kChoice,
       .value = "KEY",
       .help = "one row for each name; operators also by shape or stack, kernels also by launch "
               "(operator, "
               "grid and block)",
       .default_text = "name",
       .choices = {"name", "shape", "stack", "launch"},
       .list_choices = false},
      {.name = "sort",
       .type = OptionType::kText,
       .value = "FIELD",
       .help = "order by a field of the JSON output, largest first; torch's names such as "
               "self_cpu_time_total work too"},
      {.name = "limit",
       .type = OptionType::kInteger,
       .value = "N",
       .help = "show at most N rows of a table; 0 shows all",
       .default_text = "10 in the overview, 30 in a view, all with --json and --csv",
       .least = -1,
       .aliases = {"row-limit", "top"}},
      {.name = "steps",
       .type = OptionType::kText,
       .value = "A..B",
       .help = "only these steps, both ends included; A.. and ..B work too",
       .default_text = "all",
       .aliases = {"step"}},
      {.name = "inside",
       .type = OptionType::kText,
       .value = "REGEX",
       .help = "only what starts or is launched inside annotations whose name matches, on any "
               "thread"},
      RankOption(),
      StepAnnotationOption(),
      {.name = "like",
       .type = OptionType::kChoice,
       .value = "NAME",
       .help = "torch: the table of key_averages(); pstats: the texts of print_stats, with "
               "--callers and --callees those of print_callers and print_callees",
       .choices = {"torch", "pstats"},
       .list_choices = false},
      {.name = "json", .help = "one JSON document on standard output"},
      {.name = "csv", .help = "one view (default: operators) as CSV"},
  };
  for (const SectionSpec& section : Sections()) {
    spec.options.insert(spec.options.end(), section.options.begin(), section.options.end());
  }
  AppendCommonOptions(spec);
  spec.sections = {
      {"Paths",
       {{"",
         "Traces (Kineto or Chrome JSON, Perfetto), profiles of functions (.prof, speedscope, "
         "collapsed stacks, pprof ...) and memory files; plain, gzip or zstd, all told by their "
         "content; folders of <worker>.<digits>.pt.trace.json[.gz] or of .prof files, or - for "
         "standard input. Several are shown as one."}}},
      {"Views",
       {{"overview", "the answer, the step, devices, top operators and kernels, what to try"}}},
      ExitCodeSection(),
  };
  for (const SectionSpec& section : Sections()) {
    spec.sections[1].rows.emplace_back(section.name, section.help);
  }
  return spec;
}

// A section whose options say that it is meant.
const SectionSpec* SectionChosenBy(const Arguments& arguments) {
  for (const SectionSpec& section : Sections()) {
    if (!section.options_choose_view) continue;
    for (const OptionSpec& option : section.options) {
      if (arguments.Has(option.name)) return &section;
    }
  }
  return nullptr;
}

Result<std::string> SortFieldIn(const SectionSpec& section, std::string_view text) {
  return section.sort_key != nullptr ? section.sort_key(text)
                                     : SortFieldOf(section.name, section.sort_fields, {}, text);
}

bool Shows(const ProfileRequest& request, std::string_view view) {
  return !request.overview && request.section->name == view;
}

void ShowAlone(const SectionSpec* section, ProfileRequest& request) {
  request.section = section;
  request.overview = false;
}

Result<ProfileRequest> Conflict(std::string message) {
  return Fail(ErrorCode::kUsage, std::move(message));
}

}  // namespace

const CommandSpec& ProfileCommandSpec() {
  static const CommandSpec spec = MakeSpec();
  return spec;
}

Result<StepRange> ParseStepRange(std::string_view text) {
  const auto wrong = [&] {
    return Fail(ErrorCode::kUsage,
                fmt::format("--steps takes a range such as 3..5, 3.. or 7, not '{}'",
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
    return Fail(ErrorCode::kUsage, fmt::format("--steps {}..{} is empty: it ends before it begins",
                                               *range.first, *range.last));
  }
  return range;
}

std::string DescribeNoSteps(std::string_view given, std::string_view where, StepSource source,
                            std::string_view step_annotation) {
  const std::string steps = Printable(given, true);
  const std::string trace = Printable(where, true);
  if (source != StepSource::kWholeTrace) {
    return fmt::format(
        "--steps {} matches no step of {}; 'telltale profile --view steps' lists those it has",
        steps, trace);
  }
  if (!step_annotation.empty()) {
    return fmt::format(
        "--steps {}: no range of {} matches --step-annotation '{}', so it has no steps; "
        "'telltale profile --view annotations' lists its ranges",
        steps, trace, Printable(step_annotation, true));
  }
  return fmt::format(
      "--steps {}: {} marks no steps; call prof.step() in the training loop and record again, or "
      "name a range that stands for a step with --step-annotation",
      steps, trace);
}

Result<ProfileRequest> MakeProfileRequest(const Arguments& arguments) {
  ProfileRequest request;
  request.paths = arguments.positionals();
  if (std::count(request.paths.begin(), request.paths.end(), "-") > 1) {
    return Conflict("standard input (-) can be read only once");
  }
  request.torch_table = arguments.Text("like") == "torch";
  request.pstats_text = arguments.Text("like") == "pstats";
  request.analysis.like_torch = request.torch_table;
  if (arguments.Has("json") && arguments.Has("csv")) {
    return Conflict("--json and --csv exclude each other");
  }
  if (arguments.Has("json")) request.format = OutputFormat::kJson;
  if (arguments.Has("csv")) request.format = OutputFormat::kCsv;

  request.view_named = arguments.Has("view");
  if (arguments.Has("view")) {
    request.section = SectionNamed(arguments.Text("view"));
    request.overview = request.section == nullptr;
    if (request.overview && request.format == OutputFormat::kCsv) {
      return Conflict(
          "the overview is no table; with --csv name a view, for example --view operators");
    }
  } else if (const SectionSpec* section =
                 request.pstats_text ? SectionNamed("functions") : SectionChosenBy(arguments)) {
    ShowAlone(section, request);
  } else if (request.format == OutputFormat::kCsv || request.torch_table) {
    ShowAlone(SectionNamed("operators"), request);
  }
  if (request.torch_table && !Shows(request, "operators")) {
    return Conflict(fmt::format("--like torch shows operators, not {}", arguments.Text("view")));
  }

  if (request.pstats_text && request.section != SectionNamed("functions")) {
    return Conflict(fmt::format("--like pstats shows functions, not {}", arguments.Text("view")));
  }
  if (request.pstats_text && request.format != OutputFormat::kText) {
    return Conflict("--like pstats is a text; it excludes --json and --csv");
  }

  if (const std::string_view group = arguments.Text("group-by");
      !group.empty() && group != "name") {
    const bool of_kernels = group == "launch";
    const std::string_view right = of_kernels ? "kernels" : "operators";
    if (!request.overview && !Shows(request, right)) {
      return Conflict(fmt::format("--group-by {} groups {}, not {}; valid here: {}", group, right,
                                  arguments.Text("view"),
                                  Shows(request, "operators") ? "name, shape, stack"
                                  : Shows(request, "kernels") ? "name, launch"
                                                              : "name"));
    }
    if (of_kernels) request.analysis.kernels = KernelGrouping::kLaunch;
    if (group == "shape") request.analysis.operators = OperatorGrouping::kShape;
    if (group == "stack") request.analysis.operators = OperatorGrouping::kStack;
  }

  if (arguments.Has("sort")) {
    request.sort_text = std::string(arguments.Text("sort"));
    // The overview sorts its operators.
    Result<std::string> field = SortFieldIn(
        request.overview ? *SectionNamed("operators") : *request.section, request.sort_text);
    const SectionSpec* functions = SectionNamed("functions");
    if (!field && !request.view_named && !request.torch_table &&
        functions->sort_key(request.sort_text)) {
      // A key that only functions have.
      ShowAlone(functions, request);
      field = request.sort_text;
    }
    if (!field) return tl::unexpected<Error>(field.error());
    request.sort_field = std::move(*field);
  }
  request.limit = arguments.Integer("limit");
  request.rank = arguments.Integer("rank");
  request.analysis.threads = ThreadsOf(arguments);

  if (arguments.Has("steps")) {
    if (Shows(request, "events")) {
      return Conflict(
          "--steps does not apply to events: their start_ns tells which step they belong to");
    }
    request.steps_text = std::string(arguments.Text("steps"));
    const Result<StepRange> range = ParseStepRange(request.steps_text);
    if (!range) return tl::unexpected<Error>(range.error());
    request.analysis.first_step = range->first;
    request.analysis.last_step = range->last;
  }

  for (const SectionSpec& section : Sections()) {
    if (section.check == nullptr) continue;
    if (const Result<void> checked = section.check(arguments); !checked) {
      return tl::unexpected<Error>(checked.error());
    }
  }

  request.analysis.step_annotation = std::string(arguments.Text("step-annotation"));
  if (arguments.Has("step-annotation")) {
    const auto steps = ParseExpression("step-annotation", request.analysis.step_annotation);
    if (!steps) return tl::unexpected<Error>(steps.error());
  }

  if (arguments.Has("inside")) {
    request.analysis.inside = std::string(arguments.Text("inside"));
    if (Shows(request, "events")) {
      return Conflict("--inside does not apply to events: --view events lists all of them");
    }
    if (request.analysis.inside.empty()) {
      return Conflict("--inside takes a regular expression that finds names of ranges");
    }
    const auto inside = ParseExpression("inside", request.analysis.inside);
    if (!inside) return tl::unexpected<Error>(inside.error());
  }

  const Result<StyleRequest> style = MakeStyleRequest(arguments);
  if (!style) return tl::unexpected<Error>(style.error());
  request.style = *style;
  request.quiet = arguments.Has("quiet");
  return request;
}

void PreferFunctions(ProfileRequest& request) {
  if (request.view_named || !request.overview || request.torch_table ||
      request.format != OutputFormat::kText || !request.steps_text.empty()) {
    return;
  }
  request.section = SectionNamed("functions");
  request.overview = false;
}

Result<void> AdaptToFunctions(ProfileRequest& request) {
  const bool free = !request.view_named || request.overview;
  if (request.torch_table) {
    return Fail(ErrorCode::kUsage,
                "--like torch needs a PyTorch trace; for a function profile: --like pstats");
  }
  if (!free && request.section->needs_trace) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--view {} needs a PyTorch trace, but this is a profile of functions; "
                            "it has --view functions",
                            request.section->name));
  }
  if (!request.steps_text.empty()) {
    return Fail(ErrorCode::kUsage,
                "--steps needs a PyTorch trace: a profile of functions has none");
  }
  if (!free || (request.section != nullptr && !request.section->needs_trace)) return {};
  request.section = SectionNamed("functions");
  if (!request.sort_text.empty()) {
    Result<std::string> field = SortFieldIn(*request.section, request.sort_text);
    if (!field) return tl::unexpected(field.error());
    request.sort_field = std::move(*field);
  }
  return {};
}

Result<void> AdaptToMemory(ProfileRequest& request) {
  const SectionSpec* const memory = SectionNamed("memory");
  const bool free = !request.view_named || request.overview;
  // What the command line chose by itself is no wish.
  const bool chosen =
      request.section != nullptr && (request.view_named || !request.section->needs_trace);
  const bool other = chosen && request.section != memory && !Shows(request, "diagnostics");
  if (request.torch_table || request.pstats_text || other) {
    return Fail(ErrorCode::kUsage,
                "this is a memory profile; it has --view memory, everything else needs a PyTorch "
                "trace or a profile of functions");
  }
  if (!request.steps_text.empty() || !request.analysis.inside.empty()) {
    return Fail(ErrorCode::kUsage,
                "--steps and --inside need a PyTorch trace: a memory profile has neither steps "
                "nor ranges");
  }
  if (!free || chosen) return {};
  request.section = memory;
  if (!request.sort_text.empty()) {
    Result<std::string> field = SortFieldIn(*memory, request.sort_text);
    if (!field) return tl::unexpected(field.error());
    request.sort_field = std::move(*field);
  }
  return {};
}

}  // namespace telltale
