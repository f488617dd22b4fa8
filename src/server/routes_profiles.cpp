// SPDX-License-Identifier: Apache-2.0
// What is open: the list of profiles with their states, and how it changes.
#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <vector>

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

// Who has missed more reads the list again: about its page's size.
constexpr size_t kMostChanges = 500;

// What is said of the whole list, in an answer and in an event.
void WriteList(const Catalogue& catalogue, const ApiOptions& options, uint64_t revision,
               size_t total, JsonWriter& json) {
  json.Field("version", kVersion);
  json.Field("title", RepairUtf8(options.title));
  json.Field("revision", revision);
  json.Field("total", total);
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
}

std::span<const ParamSpec> ListParams() {
  static const std::vector<ParamSpec> specs = {
      // As many as a person scrolls through.
      {.name = "limit",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 10'000,
       .clamps = true,
       .usual = "1000"},
      {.name = "offset", .type = ParamType::kInteger, .least = 0, .usual = "0"},
  };
  return specs;
}

HttpResponse ListProfiles(const RouteContext& context, const RouteRequest& request) {
  const auto from = static_cast<size_t>(request.params.Number("offset"));
  const auto limit = static_cast<size_t>(request.params.Number("limit"));
  const CataloguePage page = context.catalogue.Page(from, limit);
  JsonWriter json(false);
  json.BeginObject();
  WriteList(context.catalogue, context.options, page.revision, page.total, json);
  json.Field("offset", from);
  json.Key("profiles");
  json.BeginArray();
  for (const CatalogueEntry& entry : page.entries) {
    WriteStatus(context.residency.StatusOf(entry), json);
  }
  json.EndArray();
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse OneProfile(const RouteContext& context, const RouteRequest& request) {
  const std::optional<CatalogueEntry> entry = context.catalogue.Find(request.values[0]);
  if (!entry) {
    return ErrorResponse(404, "no_such_profile",
                         "there is no such profile; /api/v1/profiles lists those there are");
  }
  JsonWriter json(false);
  WriteStatus(context.residency.StatusOf(*entry), json);
  return JsonResponse(json.Take());
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
  for (const OfferedView& view : status.views) {
    if (view.missing.empty()) json.String(view.name);
  }
  json.EndArray();
  json.Key("missing");
  json.BeginObject();
  for (const OfferedView& view : status.views) {
    if (!view.missing.empty()) json.Field(view.name, view.missing);
  }
  json.EndObject();
  json.Field("first_view",
             status.first_view.empty() ? std::nullopt : std::optional(status.first_view));
  json.Field("error", status.error.empty() ? std::nullopt : std::optional(status.error));
  json.EndObject();
}

void ListTeller::Tell(const Catalogue& catalogue, const Residency& residency,
                      const ApiOptions& options) {
  const std::lock_guard lock(mutex_);
  const std::optional<CatalogueChanges> changes = catalogue.ChangesSince(told_, kMostChanges);
  const uint64_t revision = changes ? changes->revision : catalogue.revision();
  JsonWriter json(false);
  json.BeginObject();
  WriteList(catalogue, options, revision, changes ? changes->total : catalogue.size(), json);
  json.Field("since", changes ? std::optional(changes->since) : std::nullopt);
  json.Key("changed");
  json.BeginArray();
  for (size_t i = 0; changes && i < changes->changed.size(); ++i) {
    const auto& [after, entry] = changes->changed[i];
    json.BeginObject();
    json.Field("after", after.empty() ? std::nullopt : std::optional(after));
    json.Key("profile");
    WriteStatus(residency.StatusOf(entry), json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("gone");
  json.BeginArray();
  for (size_t i = 0; changes && i < changes->gone.size(); ++i) json.String(changes->gone[i]);
  json.EndArray();
  json.EndObject();
  events_.Publish("profiles", json.Take());
  told_ = revision;
}

std::string ProgressJson(std::string_view id, uint64_t loaded_bytes, uint64_t total_bytes) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("id", id);
  json.Field("loaded_bytes", loaded_bytes);
  json.Field("total_bytes", total_bytes);
  json.EndObject();
  return json.Take();
}

std::span<const Route> ProfileRoutes() {
  static constexpr std::array<Route, 2> kRoutes = {{
      {"GET", "/api/v1/profiles", ListProfiles, ListParams},
      {"GET", "/api/v1/profiles/{id}", OneProfile},
  }};
  return kRoutes;
}

}  // namespace telltale
