// SPDX-License-Identifier: Apache-2.0
// The views of a profile as JSON and CSV: the documents of `telltale profile`, with the sentence
// that opens the page and the number of rows there are.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/select_part.h"
#include "views/answer.h"
#include "views/build_profile.h"
#include "views/events/events.h"
#include "views/profile_json.h"
#include "views/profile_request.h"
#include "views/render/document.h"
#include "views/render/output.h"

namespace telltale {

namespace {

constexpr int64_t kMostRows = 20'000;
// Of the tables of view=overview.
constexpr int64_t kOverviewRows = 20;
constexpr int64_t kEventRows = 1000;

std::span<const ParamSpec> CsvParams() {
  static const std::vector<ParamSpec> specs = [] {
    std::vector<ParamSpec> all = ProfileParams();
    for (ParamSpec& param : SectionParams()) all.push_back(std::move(param));
    return all;
  }();
  return specs;
}

std::span<const ParamSpec> Params() {
  static const std::vector<ParamSpec> specs = [] {
    std::vector<ParamSpec> all(CsvParams().begin(), CsvParams().end());
    all.push_back({.name = "offset", .type = ParamType::kInteger, .least = 0, .usual = "0"});
    return all;
  }();
  return specs;
}

struct ReportRequest {
  ProfileRequest profile;
  bool overview_page = false;  // view=overview: without the further views
  int64_t offset = 0;
};

Result<ReportRequest> Parse(const ParamValues& params, OutputFormat format) {
  Result<ProfileRequest> profile = MakeProfileRequest(params, {format});
  if (!profile) return tl::unexpected(profile.error());
  ReportRequest request;
  request.overview_page = params.Text("view") == "overview";
  request.profile = std::move(*profile);
  request.offset = params.Number("offset");
  return request;
}

// The views as the request wants them, and what they were made of.
struct Built {
  std::shared_ptr<const PreparedProfile> prepared;
  BuiltViews views;
  [[nodiscard]] const Profile& profile() const { return prepared->base; }
};

Result<Built> Build(const OpenProfile& open, ReportRequest& request) {
  ProfileRequest& asked = request.profile;
  Result<std::shared_ptr<const PreparedProfile>> prepared = SelectPart(open, asked);
  if (!prepared) return tl::unexpected(prepared.error());
  Built built;
  built.prepared = std::move(*prepared);
  const bool page = request.overview_page && HasTraces(built.profile());
  built.views = BuildViews(*built.prepared, asked, page ? Extent::kOverview : Extent::kWhole);
  if (const std::string problem = built.views.problem(); !problem.empty()) {
    return Fail(ErrorCode::kUsage, problem);
  }
  return built;
}

// What the page says first.
std::string SentenceOf(const Built& built) {
  for (const BuiltView& view : built.views.views) {
    // Without traces there is nothing else to say about.
    if (view.spec == built.views.named ||
        (!HasTraces(built.profile()) && view.spec->scope == ViewScope::kFurther)) {
      return view.document.Answer({});
    }
  }
  return Answer(built.profile());
}

std::string Write(const Built& built, const ReportRequest& request, int64_t limit) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("sentence", RepairUtf8(SentenceOf(built)));
  json.Key("rows_total");
  json.BeginObject();
  for (const auto& [table, rows] : RowCounts(built.profile(), built.views)) json.Field(table, rows);
  json.EndObject();
  WriteProfileJson(built.profile(), built.views, {limit, request.offset}, json);
  json.EndObject();
  return json.Take();
}

// As many rows as fit an answer, unless the client wants all.
std::string WriteReport(const Built& built, const ReportRequest& request) {
  const bool whole = request.profile.overview && !request.overview_page;
  const int64_t usual = request.overview_page                 ? kOverviewRows
                        : whole && HasTraces(built.profile()) ? 0
                                                              : kMostRows;
  const int64_t limit = request.profile.limit.value_or(usual);
  if (limit <= 0) return Write(built, request, 0);
  // Cutting begins at what the largest of the main tables has; others may have more.
  int64_t most = 1;
  for (const auto& [table, rows] : RowCounts(built.profile(), built.views)) {
    most = std::max(most, static_cast<int64_t>(rows));
  }
  most = std::min(most, limit);
  return WriteWithin(
      most, [&](int64_t rows) { return Write(built, request, rows == most ? limit : rows); });
}

HttpResponse Events(const Built& built, const ReportRequest& request) {
  const EventSource source(built.prepared->contexts);
  const int64_t asked = request.profile.limit.value_or(kEventRows);
  const int64_t end = asked <= 0 ? 0 : request.offset + asked;
  JsonWriter json(false);
  json.BeginObject();
  json.Field("sentence", fmt::format("{} events.", source.size()));
  json.Key("rows_total");
  json.BeginObject();
  json.Field("events", source.size());
  json.EndObject();
  WriteProfileJson(built.profile(), {}, {}, json);
  json.Key("events");
  json.BeginArray();
  int64_t row = 0;
  source.ForEach(request.profile.sort_field, end, [&](const EventRow& event) {
    if (row++ >= request.offset) WriteEventJson(event, json);
    return asked <= 0 || json.size() < kLastRowBegins;
  });
  json.EndArray();
  json.EndObject();
  return JsonResponse(json.Take());
}

bool ShowsEvents(const Built& built) {
  return built.views.named != nullptr && built.views.named->build == nullptr;
}

HttpResponse Report(const RouteContext& context, const RouteRequest& asked) {
  Result<ReportRequest> request = Parse(asked.params, OutputFormat::kJson);
  if (!request) return ErrorResponse(request.error());
  return WithKeptAnswer(context, asked, [&](const OpenProfile& open) {
    const Result<Built> built = Build(open, *request);
    if (!built) return ErrorResponse(built.error());
    if (ShowsEvents(*built)) return Events(*built, *request);
    return JsonResponse(WriteReport(*built, *request));
  });
}

// A name that every file system takes.
std::string FileName(std::string_view view) { return fmt::format("telltale-{}.csv", view); }

// Whole: it takes a limit, but no offset.
HttpResponse ReportCsv(const RouteContext& context, const RouteRequest& asked) {
  Result<ReportRequest> request = Parse(asked.params, OutputFormat::kCsv);
  if (!request) return ErrorResponse(request.error());
  return WithKeptAnswer(context, asked, [&](const OpenProfile& open) {
    const Result<Built> built = Build(open, *request);
    if (!built) return ErrorResponse(built.error());
    const ProfileRequest& profile = request->profile;
    StringOutput output;
    if (ShowsEvents(*built)) {
      WriteEventsCsv(EventSource(built->prepared->contexts), profile.sort_field,
                     profile.limit.value_or(0), output);
    }
    for (const BuiltView& view : built->views.views)
      WriteDocumentCsv(view.document, profile.limit.value_or(0), output);
    HttpResponse response;
    response.content_type = "text/csv; charset=utf-8";
    response.body = std::make_shared<const std::string>(output.text());
    response.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"{}\"",
                                                                     FileName(profile.view->name)));
    return response;
  });
}

}  // namespace

std::span<const Route> ReportRoutes() {
  static constexpr std::array<Route, 2> kRoutes = {{
      {"GET", "/api/v1/profiles/{id}/report", Report, Params},
      {"GET", "/api/v1/profiles/{id}/report.csv", ReportCsv, CsvParams, Lane::kWhole},
  }};
  return kRoutes;
}

}  // namespace telltale
