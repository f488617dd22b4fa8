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
  for (const SectionSpec& section : Sections()) names.push_back(section.name);
  return names;
}

// A section whose parameters say that it is meant.
const SectionSpec* SectionChosenBy(const ParamValues& params) {
  for (const SectionSpec& section : Sections()) {
    if (!section.params_choose_view) continue;
    for (const ParamSpec& param : section.params) {
      if (params.Has(param.name)) return &section;
    }
  }
  return nullptr;
}

Result<std::string> SortFieldIn(const SectionSpec& section, const ParamValues& params) {
  const std::string_view text = params.Text("sort");
  Result<std::string> field = section.sort_key != nullptr
                                  ? section.sort_key(text)
                                  : SortFieldOf(section.name, section.sort_fields, {}, text);
  if (!field) return params.Wrong("sort", field.error().message);
  return field;
}

bool Shows(const ProfileRequest& request, std::string_view view) {
  return !request.overview && request.section->name == view;
}

void ShowAlone(const SectionSpec* section, ProfileRequest& request) {
  request.section = section;
  request.overview = false;
}

// The view without traces, where none was asked for; sorted as asked.
Result<void> StandIn(std::string_view view, ProfileRequest& request) {
  request.section = SectionNamed(view);
  if (!request.params.Has("sort")) return {};
  Result<std::string> field = SortFieldIn(*request.section, request.params);
  if (!field) return tl::unexpected(field.error());
  request.sort_field = std::move(*field);
  return {};
}

Result<void> AdaptToFunctions(ProfileRequest& request) {
  const ParamValues& params = request.params;
  const bool free = !request.view_named || request.overview;
  if (!free && request.section->needs_trace) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} needs a PyTorch trace, but this is a profile of functions; it has "
                            "{}",
                            params.Spelled("view", request.section->name),
                            params.Spelled("view", "functions")));
  }
  if (params.Has("steps")) {
    return params.Wrong("steps", "needs a PyTorch trace: a profile of functions has none");
  }
  if (!free || (request.section != nullptr && !request.section->needs_trace)) return {};
  return StandIn("functions", request);
}

Result<void> AdaptToMemory(ProfileRequest& request) {
  const ParamValues& params = request.params;
  const SectionSpec* const memory = SectionNamed("memory");
  const bool free = !request.view_named || request.overview;
  // What was chosen without being named is no wish.
  const bool chosen =
      request.section != nullptr && (request.view_named || !request.section->needs_trace);
  const bool other = chosen && request.section != memory && !Shows(request, "diagnostics");
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
    request.section = SectionNamed(params.Text("view"));
    request.overview = request.section == nullptr;
    if (request.overview && csv) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("the overview is no table; for CSV name a view, for example {}",
                              params.Spelled("view", "operators")));
    }
  } else if (request.use.like == LikeTool::kPstats) {
    ShowAlone(SectionNamed("functions"), request);
  } else if (const SectionSpec* section = SectionChosenBy(params)) {
    ShowAlone(section, request);
  } else if (csv || request.use.like == LikeTool::kTorch) {
    ShowAlone(SectionNamed("operators"), request);
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
                            request.params.Spelled("group-by", group), right, request.section->name,
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
      SortFieldIn(request.overview ? *SectionNamed("operators") : *request.section, request.params);
  const SectionSpec* functions = SectionNamed("functions");
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
  for (const SectionSpec& section : Sections()) {
    if (section.check == nullptr) continue;
    if (Result<void> checked = section.check(request.params); !checked) return checked;
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
  for (const SectionSpec& section : Sections()) {
    params.insert(params.end(), section.params.begin(), section.params.end());
  }
  return params;
}

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

Result<void> AdaptToInput(const Loaded& loaded, ProfileRequest& request) {
  if (!loaded.traces.empty()) return {};
  const bool memory = loaded.functions.empty() && !loaded.memory.empty();
  return memory ? AdaptToMemory(request) : AdaptToFunctions(request);
}

}  // namespace telltale
