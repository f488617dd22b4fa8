// SPDX-License-Identifier: Apache-2.0
#include "views/profile_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "views/part.h"
#include "views/torch_names.h"

namespace telltale {

namespace {

std::vector<std::string_view> AllViewNames() {
  std::vector<std::string_view> names = {"overview"};
  for (const ViewSpec& view : Views()) names.push_back(view.name);
  return names;
}

// A view whose parameters say that it is meant.
const ViewSpec* ViewChosenBy(const ParamValues& params) {
  for (const ViewSpec& view : Views()) {
    if (!view.params_choose_view) continue;
    for (const ParamSpec& param : view.params) {
      if (params.Has(param.name)) return &view;
    }
  }
  return nullptr;
}

Result<std::string> SortFieldIn(const ViewSpec& view, const ParamValues& params) {
  const std::string_view text = params.Text("sort");
  Result<std::string> field = view.sort_key != nullptr
                                  ? view.sort_key(text)
                                  : SortFieldOf(view.name, view.sort_fields, {}, text);
  if (!field) return params.Wrong("sort", field.error().message);
  return field;
}

bool Shows(const ProfileRequest& request, std::string_view view) {
  return !request.overview && request.view->name == view;
}

void ShowAlone(const ViewSpec* view, ProfileRequest& request) {
  request.view = view;
  request.overview = false;
}

// The view without traces, where none was asked for; sorted as asked.
Result<void> StandIn(std::string_view view, ProfileRequest& request) {
  request.view = ViewNamed(view);
  if (!request.params.Has("sort")) return {};
  Result<std::string> field = SortFieldIn(*request.view, request.params);
  if (!field) return tl::unexpected(field.error());
  request.sort_field = std::move(*field);
  return {};
}

Result<void> AdaptToFunctions(ProfileRequest& request) {
  const ParamValues& params = request.params;
  const bool free = !request.view_named || request.overview;
  if (!free && request.view->needs_trace) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} needs a PyTorch trace, but this is a profile of functions; it has "
                            "{}",
                            params.Spelled("view", request.view->name),
                            params.Spelled("view", "functions")));
  }
  if (params.Has("steps")) {
    return params.Wrong("steps", "needs a PyTorch trace: a profile of functions has none");
  }
  if (!free || (request.view != nullptr && !request.view->needs_trace)) return {};
  return StandIn("functions", request);
}

Result<void> AdaptToMemory(ProfileRequest& request) {
  const ParamValues& params = request.params;
  const ViewSpec* const memory = ViewNamed("memory");
  const bool free = !request.view_named || request.overview;
  // What was chosen without being named is no wish.
  const bool chosen = request.view != nullptr && (request.view_named || !request.view->needs_trace);
  const bool other = chosen && request.view != memory && !Shows(request, "diagnostics");
  if (request.use.like != LikeTool::kNone || other) {
    return Fail(ErrorCode::kUsage,
                fmt::format("this is a memory profile; it has {}, everything else needs a PyTorch "
                            "trace or a profile of functions",
                            params.Spelled("view", "memory")));
  }
  if (params.Has("steps") || params.Has("inside")) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} and {} need a PyTorch trace: a memory profile has neither steps "
                            "nor ranges",
                            params.Spelled("steps"), params.Spelled("inside")));
  }
  if (!free || chosen) return {};
  return StandIn("memory", request);
}

// The view, or the overview.
Result<void> SetView(ProfileRequest& request) {
  const ParamValues& params = request.params;
  const bool csv = request.use.format == OutputFormat::kCsv;
  request.view_named = params.Has("view");
  if (request.view_named) {
    request.view = ViewNamed(params.Text("view"));
    request.overview = request.view == nullptr;
    if (request.overview && csv) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("the overview is no table; for CSV name a view, for example {}",
                              params.Spelled("view", "operators")));
    }
  } else if (const auto like = std::ranges::find(kLikenesses, request.use.like, &Likeness::tool);
             like != kLikenesses.end() && IsForeignText(like->tool)) {
    ShowAlone(ViewNamed(like->view), request);
  } else if (const ViewSpec* view = ViewChosenBy(params)) {
    ShowAlone(view, request);
  } else if (csv || request.use.like == LikeTool::kTorch) {
    ShowAlone(ViewNamed("operators"), request);
  }
  return {};
}

Result<void> SetGrouping(ProfileRequest& request) {
  const std::string_view group = request.params.Text("group-by");
  if (group.empty() || group == "name") return {};
  const bool of_kernels = group == "launch";
  const std::string_view right = of_kernels ? "kernels" : "operators";
  if (!request.overview && !Shows(request, right)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} groups {}, not {}; valid here: {}",
                            request.params.Spelled("group-by", group), right, request.view->name,
                            Shows(request, "operators") ? "name, shape, stack"
                            : Shows(request, "kernels") ? "name, launch"
                                                        : "name"));
  }
  if (of_kernels) request.analysis.kernels = KernelGrouping::kLaunch;
  if (group == "shape") request.analysis.operators = OperatorGrouping::kShape;
  if (group == "stack") request.analysis.operators = OperatorGrouping::kStack;
  return {};
}

Result<void> SetSort(ProfileRequest& request) {
  if (!request.params.Has("sort")) return {};
  // The overview sorts its operators.
  Result<std::string> field =
      SortFieldIn(request.overview ? *ViewNamed("operators") : *request.view, request.params);
  const ViewSpec* functions = ViewNamed("functions");
  if (!field && !request.view_named && request.use.like != LikeTool::kTorch) {
    // A key that only functions have.
    if (Result<std::string> key = SortFieldIn(*functions, request.params)) {
      ShowAlone(functions, request);
      field = std::move(key);
    }
  }
  if (!field) return tl::unexpected(field.error());
  request.sort_field = std::move(*field);
  return {};
}

Result<void> SetPartOf(ProfileRequest& request) {
  const ParamValues& params = request.params;
  if (Shows(request, "events")) {
    if (params.Has("steps")) {
      return params.Wrong(
          "steps", "does not apply to events: their start_ns tells which step they belong to");
    }
    if (params.Has("inside")) {
      return params.Wrong("inside", fmt::format("does not apply to events: {} lists all of them",
                                                params.Spelled("view", "events")));
    }
  }
  return SetPart(params, request.analysis);
}

Result<void> CheckSections(ProfileRequest& request) {
  for (const ViewSpec& view : Views()) {
    if (view.check == nullptr) continue;
    if (Result<void> checked = view.check(request.params); !checked) return checked;
  }
  return {};
}

}  // namespace

std::vector<ParamSpec> ProfileParams() {
  std::vector<ParamSpec> params = {
      {.name = "view",
       .type = ParamType::kChoice,
       .value = "NAME",
       .help = "what to show",
       .default_text = "overview",
       .choices = AllViewNames()},
      {.name = "group-by",
       .type = ParamType::kChoice,
       .value = "KEY",
       .help = "one row for each name; operators also by shape or stack, kernels also by launch "
               "(operator, grid and block)",
       .default_text = "name",
       .choices = {"name", "shape", "stack", "launch"},
       .list_choices = false},
      {.name = "sort",
       .type = ParamType::kText,
       .value = "FIELD",
       .help = "order by a field of the JSON output, largest first; torch's names such as "
               "self_cpu_time_total work too"},
      {.name = "limit",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "show at most N rows of a table; 0 shows all",
       .default_text = "10 in the overview, 30 in a view, all with --json and --csv",
       .least = -1,
       .aliases = {"row-limit", "top"}},
  };
  for (ParamSpec& param : PartParams()) params.push_back(std::move(param));
  return params;
}

std::vector<ParamSpec> SectionParams() {
  std::vector<ParamSpec> params;
  for (const ViewSpec& view : Views()) {
    params.insert(params.end(), view.params.begin(), view.params.end());
  }
  return params;
}

namespace {

// An event file is no profile: what it is, and what shows it.
tl::unexpected<Error> DescribeSeries(const SeriesSet& series) {
  const std::string& path = series.source.path;
  const size_t slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  return Fail(ErrorCode::kUsage,
              fmt::format("{} is an event file of TensorBoard with {} points of {} tags, and no "
                          "profile; telltale runs {} lists its run, and telltale view {} shows its "
                          "curves",
                          path, series.points(), series.tags.size(), folder, folder));
}

}  // namespace

Result<ProfileRequest> MakeProfileRequest(const ParamValues& params, OutputUse use) {
  ProfileRequest request;
  request.params = params;
  request.use = use;
  request.limit = params.Integer("limit");
  request.rank = params.Integer("rank");
  request.analysis.like_torch = use.like == LikeTool::kTorch;
  for (const auto set : {SetView, SetGrouping, SetSort, SetPartOf, CheckSections}) {
    if (const Result<void> fine = set(request); !fine) return tl::unexpected(fine.error());
  }
  return request;
}

Result<void> AdaptToInput(const Subject& subject, ProfileRequest& request) {
  if (subject.Has<Trace>()) return {};
  if (const auto series = subject.Each<SeriesSet>();
      !series.empty() && series.size() == subject.artifacts().size()) {
    return DescribeSeries(*series.front());
  }
  const bool memory = !subject.Has<FunctionProfile>() && subject.Has<MemoryProfile>();
  return memory ? AdaptToMemory(request) : AdaptToFunctions(request);
}

}  // namespace telltale
