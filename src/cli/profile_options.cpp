// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_options.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "views/captured.h"

namespace telltale {

namespace {

tl::unexpected<Error> Conflict(std::string message) {
  return Fail(ErrorCode::kUsage, std::move(message));
}

Result<OutputUse> UseOf(const Arguments& arguments) {
  const Result<OutputFormat> format = FormatOf(arguments);
  if (!format) return tl::unexpected(format.error());
  OutputUse use;
  use.format = *format;
  const auto like = std::ranges::find(kLikenesses, arguments.Text("like"), &Likeness::name);
  if (like == kLikenesses.end()) return use;
  use.like = like->tool;
  if (!IsForeignText(use.like)) return use;
  if (use.format != OutputFormat::kText) {
    return Conflict(
        fmt::format("--like {} is a text; it excludes --json, --csv and --markdown", like->name));
  }
  if (arguments.Has("tree") || arguments.Has("own-code")) {
    return Conflict(fmt::format("{} has no --tree and no --own-code; leave out --like {}",
                                like->tool == LikeTool::kPstats ? "pstats" : "Lightning",
                                like->name));
  }
  return use;
}

// --like names the view by itself.
Result<void> CheckLikeness(const ProfileRequest& request) {
  const auto like = std::ranges::find(kLikenesses, request.use.like, &Likeness::tool);
  if (like == kLikenesses.end()) return {};
  const std::string_view view = request.overview ? "overview" : request.view->name;
  if (view == like->view) return {};
  return Conflict(fmt::format("--like {} shows {}, not {}", like->name, like->view, view));
}

}  // namespace

CommandSpec ProfileCommandSpec() {
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
  spec.options = ProfileParams();
  for (const ParamSpec& option : std::initializer_list<ParamSpec>{
           {.name = "like",
            .type = ParamType::kChoice,
            .value = "NAME",
            .help = "torch: the table of key_averages(); pstats: the texts of print_stats, with "
                    "--callers and --callees those of print_callers and print_callees; "
                    "lightning: the report of its simple profiler",
            .choices = {"torch", "pstats", "lightning"},
            .list_choices = false},
           {.name = "json", .help = "one JSON document on standard output"},
           {.name = "csv", .help = "one view (default: operators) as CSV"},
           {.name = "markdown", .help = "tables for an issue or a pull request"},
       }) {
    spec.options.push_back(option);
  }
  for (ParamSpec& param : SectionParams()) spec.options.push_back(std::move(param));
  spec.or_file = {"device-peak"};
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
  for (const ViewSpec& view : Views()) {
    spec.sections[1].rows.emplace_back(view.name, view.help);
  }
  return spec;
}

Result<ProfileOptions> MakeProfileOptions(const Arguments& arguments) {
  ProfileOptions options;
  options.paths = arguments.positionals();
  if (std::ranges::count(options.paths, "-") > 1) {
    return Conflict("standard input (-) can be read only once");
  }
  const Result<OutputUse> use = UseOf(arguments);
  if (!use) return tl::unexpected(use.error());
  Result<ProfileRequest> request = MakeProfileRequest(arguments, *use);
  if (!request) return tl::unexpected(request.error());
  options.request = std::move(*request);
  options.request.analysis.threads = ThreadsOf(arguments);
  if (const Result<void> fine = CheckLikeness(options.request); !fine) {
    return tl::unexpected(fine.error());
  }
  const Result<StyleRequest> style = MakeStyleRequest(arguments);
  if (!style) return tl::unexpected(style.error());
  options.style = *style;
  options.quiet = arguments.Has("quiet");
  return options;
}

Result<void> FitToInput(const Subject& subject, ProfileRequest& request) {
  const bool torch = request.use.like == LikeTool::kTorch;
  if (torch && !subject.Has<Trace>() && subject.Has<FunctionProfile>()) {
    return Conflict("--like torch needs a PyTorch trace; for a function profile: --like pstats");
  }
  if (Result<void> fits = AdaptToInput(subject, request); !fits) return fits;
  if (AreOfFunctions(subject) && request.overview && !request.view_named &&
      IsForPeople(request.use.format) && !request.params.Has("steps")) {
    request.view = ViewNamed("functions");
    request.overview = false;
  }
  return {};
}

}  // namespace telltale
