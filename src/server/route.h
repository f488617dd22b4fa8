// SPDX-License-Identifier: Apache-2.0
// A route of the API: a method, a pattern and the function that answers. A route parses its
// parameters, calls one analysis and serialises the result. Files routes_*.cpp each hold a group;
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
#include "server/catalogue.h"
#include "server/http.h"

namespace telltale {

struct ApiOptions {
  std::string title = "Telltale";  // of the window
  GivenFiles* given = nullptr;     // takes what is dropped on the page; null: nobody does
};

struct RouteContext {
  Catalogue& catalogue;
  ApiOptions options;
};

// `values`: of the pattern's {…}, in order.
using RouteFunction = HttpResponse (*)(const RouteContext& context, const HttpRequest& request,
                                       std::span<const std::string> values);

// What keeps a core or much memory busy, whoever asks, has few workers of its own: nothing small
// waits behind it.
enum class Lane : uint8_t { kShort, kQuery, kWhole };
constexpr size_t kLaneCount = 3;

struct Route {
  std::string_view method;   // GET also answers HEAD
  std::string_view pattern;  // "/api/v1/profiles/{id}/report"
  RouteFunction run;
  Lane lane = Lane::kShort;
};

// In groups, one for each file.
[[nodiscard]] std::span<const Route> ProfileRoutes();
[[nodiscard]] std::span<const Route> ReportRoutes();
[[nodiscard]] std::span<const Route> DiffRoutes();
[[nodiscard]] std::span<const Route> QueryRoutes();
[[nodiscard]] std::span<const Route> CallRoutes();
[[nodiscard]] std::span<const Route> FunctionRoutes();
[[nodiscard]] std::span<const Route> TimelineRoutes();
[[nodiscard]] std::span<const Route> GivenRoutes();

// What an Error of the engine is over HTTP: 400 where the request is wrong, 422 where the file is.
[[nodiscard]] HttpResponse ErrorResponse(const Error& error);

// The answer about a profile that is in memory; else what to say instead: 404, 202 while it is
// loaded (which this begins), 422.
[[nodiscard]] HttpResponse WithProfile(
    const RouteContext& context, std::string_view id,
    const std::function<HttpResponse(const OpenProfile& profile)>& answer);

// The same, kept with the profile under the route's pattern and the parameters, whatever their
// order. Only what succeeded is kept. Who asks while it is made joins in; when all who asked have
// left, making it ends with Canceled.
[[nodiscard]] HttpResponse WithKeptAnswer(
    const RouteContext& context, std::string_view id, std::string_view pattern,
    const HttpRequest& request,
    const std::function<HttpResponse(const OpenProfile& profile)>& answer);

// Parameters that a route takes, by name; others are an Error that names the nearest.
[[nodiscard]] Result<void> CheckParameters(const HttpRequest& request,
                                           std::span<const std::string_view> known);
// A whole number of at least `least`; an Error if it is something else.
[[nodiscard]] Result<std::optional<int64_t>> IntegerParameter(const HttpRequest& request,
                                                              std::string_view name, int64_t least);

// One profile as GET /profiles lists it.
void WriteStatus(const ProfileStatus& status, JsonWriter& json);

}  // namespace telltale
