// SPDX-License-Identifier: Apache-2.0
#include "server/api.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/cancel.h"
#include "base/utf8.h"
#include "server/parameters.h"
#include "server/tensorboard/data_api.h"
#include "views/render/display.h"

namespace telltale {

namespace {

// The values of the pattern's {…} if the path fits it.
std::optional<std::vector<std::string>> Match(std::string_view pattern, std::string_view path) {
  std::vector<std::string> values;
  while (true) {
    const size_t pattern_end = std::min(pattern.find('/', 1), pattern.size());
    const size_t path_end = std::min(path.find('/', 1), path.size());
    const std::string_view part = pattern.substr(0, pattern_end);
    const std::string_view given = path.substr(0, path_end);
    if (part.starts_with("/{")) {
      if (given.size() < 2) return std::nullopt;
      values.emplace_back(given.substr(1));
    } else if (part != given) {
      return std::nullopt;
    }
    pattern.remove_prefix(pattern_end);
    path.remove_prefix(path_end);
    if (pattern.empty() != path.empty()) return std::nullopt;
    if (pattern.empty()) return values;
  }
}

HttpResponse Answer(const RouteContext& context, const std::vector<Route>& routes,
                    const HttpRequest& request) {
  std::string_view method = request.method;
  if (method == "HEAD") method = "GET";
  std::string allowed;
  for (const Route& route : routes) {
    const std::optional<std::vector<std::string>> values = Match(route.pattern, request.path);
    if (!values) continue;
    if (route.method != method) {
      allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", route.method);
      if (route.method == "GET") allowed += ", HEAD";
      continue;
    }
    const Result<ParamValues> params = ReadParameters(route.params(), request);
    if (!params) return ErrorResponse(params.error());
    return route.run(context, {request, route.pattern, *values, *params});
  }
  if (!allowed.empty()) {
    HttpResponse response =
        ErrorResponse(405, "wrong_method", fmt::format("this path takes {}", allowed));
    response.headers.emplace_back("Allow", allowed);
    return response;
  }
  return ErrorResponse(404, "no_such_path",
                       "the API has no such path; docs/http-api.md lists those it has");
}

}  // namespace

std::vector<Route> ApiRoutes() {
  std::vector<Route> routes;
  for (const auto group :
       {ProfileRoutes, ReportRoutes, DiffRoutes, QueryRoutes, CallRoutes, FunctionRoutes,
        MomentRoutes, TimelineRoutes, GivenRoutes, RunRoutes, RunFileRoutes, RunLogRoutes,
        RunStoryRoutes, SeriesRoutes, StoredSeriesRoutes, ExperimentRoutes}) {
    const std::span<const Route> some = group();
    routes.insert(routes.end(), some.begin(), some.end());
  }
  return routes;
}

Lane LaneOf(const HttpRequest& request) {
  if (const std::optional<std::string_view> path = DataPath(request.path)) {
    return AnswersWhole(*path) ? Lane::kWhole : Lane::kShort;
  }
  static const std::vector<Route> routes = ApiRoutes();
  for (const Route& route : routes) {
    if (route.method != request.method || !Match(route.pattern, request.path)) continue;
    if (route.lane != Lane::kShort) return route.lane;
    const Result<ParamValues> params = ReadParameters(route.params(), request);
    return params && params->Integer("limit").value_or(1) <= 0 ? Lane::kWhole : Lane::kShort;
  }
  return Lane::kShort;
}

HttpHandler MakeApi(Catalogue& catalogue, Residency& residency, ApiOptions options, RunDesk* runs) {
  return [context = RouteContext{catalogue, residency, std::move(options), runs},
          routes = ApiRoutes()](const HttpRequest& request) {
    try {
      return Answer(context, routes, request);
    } catch (const std::bad_alloc&) {
      return ErrorResponse(503, "out_of_memory",
                           "there is not enough memory to answer this; ask for less");
    } catch (const Canceled&) {
      return ErrorResponse(503, "canceled", "the client has left");  // nobody reads it
    } catch (const std::exception& error) {
      return ErrorResponse(500, "internal", RepairUtf8(error.what()));
    }
  };
}

}  // namespace telltale
