// SPDX-License-Identifier: Apache-2.0
// What a profile has of some of a run's time: the run's page asks each profile of the run for it,
// and shows the views that it names.
#include <array>
#include <optional>
#include <string>

#include "base/json_writer.h"
#include "server/route.h"
#include "views/runs/profile_moment.h"

namespace telltale {

namespace {

std::span<const ParamSpec> MomentParams() {
  static const std::array<ParamSpec, 2> specs = {{
      {.name = "start", .type = ParamType::kInteger, .required = true},
      {.name = "end", .type = ParamType::kInteger, .required = true},
  }};
  return specs;
}

HttpResponse Moment(const RouteContext& context, const RouteRequest& request) {
  const Interval asked = {request.params.Number("start"), request.params.Number("end")};
  if (asked.end_ns <= asked.start_ns) {
    return ErrorResponse(request.params.Wrong("end", "must be later than start").value());
  }
  return WithKeptAnswer(context, request, [&](const OpenProfile& open) {
    const ProfileMoment moment = MomentOf(open.subject(), open.contexts(), asked);
    JsonWriter json(false);
    json.BeginObject();
    const auto digits = [](int64_t ns) { return std::optional(std::to_string(ns)); };
    json.Field("from_ns", moment.recorded ? digits(moment.recorded->start_ns) : std::nullopt);
    json.Field("to_ns", moment.recorded ? digits(moment.recorded->end_ns) : std::nullopt);
    json.Field("between", moment.between.empty() ? std::nullopt : std::optional(moment.between));
    json.Key("steps");
    if (const auto& steps = moment.steps) {
      json.BeginObject();
      json.Field("first", steps->first);
      json.Field("last", steps->last);
      json.Field("away_ns", steps->away_ns);
      json.Field("sentence", steps->sentence);
      json.Field("view", steps->view);
      json.EndObject();
    } else {
      json.Null();
    }
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

}  // namespace

std::span<const Route> MomentRoutes() {
  static constexpr std::array<Route, 1> kRoutes = {{
      {"GET", "/api/v1/profiles/{id}/moment", Moment, MomentParams},
  }};
  return kRoutes;
}

}  // namespace telltale
