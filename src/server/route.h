// SPDX-License-Identifier: Apache-2.0
// A route of the API: a method, a pattern, the table of its parameters and the function that
// answers: calls one analysis and serialises the result. Files routes_*.cpp each hold a group;
// api.cpp joins them to the table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/result.h"
#include "io/given_files.h"
#include "runs/catalogue.h"
#include "server/http.h"
#include "server/residency.h"
#include "views/params.h"

namespace telltale {

struct ApiOptions {
  std::string title = "Telltale";  // of the window
  GivenFiles* given = nullptr;     // takes what is dropped on the page; null: nobody does
};

class RunDesk;

struct RouteContext {
  Catalogue& catalogue;
  Residency& residency;
  ApiOptions options;
  RunDesk* runs = nullptr;  // null: there are none to ask about
};

struct RouteRequest {
  const HttpRequest& http;
  std::string_view pattern;             // of the route
  std::span<const std::string> values;  // of the pattern's {…}, in order
  const ParamValues& params;            // by the route's table
};
using RouteFunction = HttpResponse (*)(const RouteContext& context, const RouteRequest& request);

// Whatever else is given is refused before the route sees it.
using RouteParams = std::span<const ParamSpec> (*)();
[[nodiscard]] inline std::span<const ParamSpec> NoParams() { return {}; }

// What keeps a core or much memory busy, whoever asks, has few workers of its own: nothing small
// waits behind it.
enum class Lane : uint8_t { kShort, kQuery, kWhole };
constexpr size_t kLaneCount = 3;

struct Route {
  std::string_view method;   // GET also answers HEAD
  std::string_view pattern;  // "/api/v1/profiles/{id}/report"
  RouteFunction run;
  RouteParams params = NoParams;
  Lane lane = Lane::kShort;
};

// In groups, one for each file.
[[nodiscard]] std::span<const Route> ProfileRoutes();
[[nodiscard]] std::span<const Route> ReportRoutes();
[[nodiscard]] std::span<const Route> DiffRoutes();
[[nodiscard]] std::span<const Route> QueryRoutes();
[[nodiscard]] std::span<const Route> CallRoutes();
[[nodiscard]] std::span<const Route> FunctionRoutes();
[[nodiscard]] std::span<const Route> MomentRoutes();
[[nodiscard]] std::span<const Route> TimelineRoutes();
[[nodiscard]] std::span<const Route> GivenRoutes();
[[nodiscard]] std::span<const Route> RunRoutes();
[[nodiscard]] std::span<const Route> RunFileRoutes();
[[nodiscard]] std::span<const Route> RunLogRoutes();
[[nodiscard]] std::span<const Route> RunStoryRoutes();
[[nodiscard]] std::span<const Route> SeriesRoutes();
[[nodiscard]] std::span<const Route> StoredSeriesRoutes();
[[nodiscard]] std::span<const Route> ExperimentRoutes();

// What an Error of the engine is over HTTP: 400 where the request is wrong, 422 where the file is.
[[nodiscard]] HttpResponse ErrorResponse(const Error& error);

// The answer about a profile that is in memory; else what to say instead: 404, 202 while it is
// loaded (which this begins), 422.
[[nodiscard]] HttpResponse WithProfile(
    const RouteContext& context, std::string_view id,
    const std::function<HttpResponse(const OpenProfile& profile)>& answer);

// The same of the profile that the first value names, kept with it under the route's pattern and
// the parameters, whatever their order. Only what succeeded is kept. Who asks while it is made
// joins in; when all who asked have left, making it ends with Canceled.
[[nodiscard]] HttpResponse WithKeptAnswer(
    const RouteContext& context, const RouteRequest& request,
    const std::function<HttpResponse(const OpenProfile& profile)>& answer);

// One profile as GET /profiles lists it.
void WriteStatus(const ProfileStatus& status, JsonWriter& json);

}  // namespace telltale
