// SPDX-License-Identifier: Apache-2.0
// What is open: the list of profiles with their states.
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "base/utf8.h"
#include "server/api.h"
#include "server/route.h"
#include "views/profile_json.h"
#include "views/render/display.h"

namespace telltale {

namespace {

// "2026-11-15T20:45:01Z".
std::string UtcTime(int64_t since_1970_ns) {
  const auto seconds = static_cast<std::time_t>(since_1970_ns / 1'000'000'000);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

HttpResponse ListProfiles(const RouteContext& context, const RouteRequest& /*request*/) {
  return JsonResponse(ProfilesJson(context.catalogue, context.options));
}

HttpResponse OneProfile(const RouteContext& context, const RouteRequest& request) {
  for (const ProfileStatus& status : context.catalogue.List()) {
    if (status.id != request.values[0]) continue;
    JsonWriter json(false);
    WriteStatus(status, json);
    return JsonResponse(json.Take());
  }
  return ErrorResponse(404, "no_such_profile",
                       "there is no such profile; /api/v1/profiles lists those there are");
}

}  // namespace

void WriteStatus(const ProfileStatus& status, JsonWriter& json) {
  json.BeginObject();
  json.Field("id", status.id);
  json.Field("name", RepairUtf8(status.name));
  json.Key("paths");
  json.BeginArray();
  for (const std::string& path : status.paths) json.String(RepairUtf8(path));
  json.EndArray();
  json.Field("folder", RepairUtf8(status.folder));
  json.Field("kind", status.kind.empty() ? std::nullopt : std::optional(status.kind));
  json.Field("state", NameOf(status.state));
  json.Field("growing", status.growing);
  json.Field("generation", status.generation);
  json.Field("content", status.content.empty() ? std::nullopt : std::optional(status.content));
  json.Field("bytes", status.bytes);
  json.Field("loaded_bytes", status.loaded_bytes);
  json.Field("total_bytes", status.total_bytes);
  json.Field("modified", UtcTime(status.modified_ns));
  json.Key("ranks");
  json.BeginArray();
  for (const int64_t rank : status.ranks) json.Int(rank);
  json.EndArray();
  json.Field("events", status.events);
  json.Key("captured");
  json.BeginArray();
  for (const std::string_view part : status.captured) json.String(part);
  json.EndArray();
  json.Key("views");
  json.BeginArray();
  for (const std::string_view view : status.views) json.String(view);
  json.EndArray();
  json.Field("first_view",
             status.first_view.empty() ? std::nullopt : std::optional(status.first_view));
  json.Field("error", status.error.empty() ? std::nullopt : std::optional(status.error));
  json.EndObject();
}

std::string ProfilesJson(const Catalogue& catalogue, const ApiOptions& options) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("version", kVersion);
  json.Field("title", RepairUtf8(options.title));
  json.Field("searching", catalogue.searching());
  json.Field("searched", catalogue.searched());
  json.Field("cut", catalogue.cut());
  const Skipped skipped = catalogue.skipped();
  json.Key("skipped");
  json.BeginObject();
  json.Field("count", skipped.count);
  json.Key("first");
  json.BeginArray();
  for (const SkippedFile& file : skipped.first) {
    json.BeginObject();
    json.Field("path", RepairUtf8(file.path));
    json.Field("why", file.why);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.Key("profiles");
  json.BeginArray();
  for (const ProfileStatus& status : catalogue.List()) WriteStatus(status, json);
  json.EndArray();
  json.EndObject();
  return json.Take();
}

std::string ProgressJson(const ProfileStatus& status) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("id", status.id);
  json.Field("loaded_bytes", status.loaded_bytes);
  json.Field("total_bytes", status.total_bytes);
  json.EndObject();
  return json.Take();
}

std::span<const Route> ProfileRoutes() {
  static constexpr std::array<Route, 2> kRoutes = {{
      {"GET", "/api/v1/profiles", ListProfiles},
      {"GET", "/api/v1/profiles/{id}", OneProfile},
  }};
  return kRoutes;
}

}  // namespace telltale
