// SPDX-License-Identifier: Apache-2.0
#include "server/timeline_routes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/timeline/categories.h"
#include "analysis/timeline/encode.h"
#include "analysis/timeline/search.h"
#include "analysis/timeline/search_query.h"
#include "analysis/timeline/selection.h"
#include "analysis/timeline/series.h"
#include "analysis/timeline/span_view.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "server/largest_answer.h"
#include "server/timeline_event_reference.h"
#include "server/timeline_parameters.h"

namespace telltale {

namespace {

// Of a curve: more than a screen is wide, and each is 32 bytes.
constexpr uint32_t kMostPoints = 30'000;

HttpResponse WrongRequest(const TimelineParameters& parameters) {
  return ErrorResponse(400, "wrong_parameter", parameters.problem().value_or(""));
}

// What is looked for. None: `parameters` has the problem.
std::optional<SearchQuery> QueryOf(const HttpRequest& request, TimelineParameters& parameters) {
  const std::string_view typed = request.Query("q").value_or(std::string_view());
  if (typed.empty()) {
    parameters.Wrong("q is missing: what to look for, as in q=aten::mm or q=stream=7");
    return std::nullopt;
  }
  Result<SearchQuery> query = ParseSearch(typed);
  if (query) return std::move(*query);
  parameters.Wrong(RepairUtf8(query.error().message));
  return std::nullopt;
}

void WriteSearchKeys(JsonWriter& json) {
  json.Key("search_keys");
  json.BeginArray();
  for (const SearchKey& key : SearchKeys()) {
    json.BeginObject();
    json.Field("key", key.key);
    json.Field("what", key.what);
    json.EndObject();
  }
  json.EndArray();
}

void WriteTrack(const TimelineIndex& index, uint32_t id, JsonWriter& json) {
  const TimelineTrack& track = index.tracks()[id];
  const FileTimeline& file = index.files()[track.file];
  json.BeginObject();
  json.Field("id", id);
  json.Field("group", track.file);
  json.Field("kind", NameOf(track.kind));
  json.Field("name", track.name);
  json.Field("depth", track.depth);
  json.Field("spans", track.spans);
  json.Field("first_ns", file.FromOrigin(track.first_ns));
  json.Field("last_ns", file.FromOrigin(track.last_ns));
  if (track.belongs_to) json.Field("belongs_to", *track.belongs_to);
  if (track.device) json.Field("device", *track.device);
  if (track.stream) json.Field("stream", *track.stream);
  if (track.series != kNoRow) {
    json.Field("unit", file.series[track.series].unit());
    json.Field("points", file.series[track.series].points().size());
  }
  json.EndObject();
}

}  // namespace

HttpResponse TimelineLayout(const TimelineInput& input, const HttpRequest& /*request*/) {
  const TimelineIndex& index = input.index;
  JsonWriter json(/*indented=*/false);
  json.BeginObject();
  json.Field("origin_ns", std::to_string(index.origin_ns()));
  json.Field("duration_ns", index.duration_ns());
  json.Field("clock_error_ns", index.clock_error_ns());
  json.Field("spans_outside", index.spans_outside());
  json.Key("groups");
  json.BeginArray();
  for (uint32_t i = 0; i < index.files().size(); ++i) {
    const FileTimeline& file = index.files()[i];
    const FileAlignment& alignment = index.alignment().files[i];
    json.BeginObject();
    json.Field("id", i);
    json.Field("name", file.name);
    json.Field("file", i);
    json.Field("clock_offset_ns", alignment.offset_ns);
    json.Field("clock_error_ns", alignment.error_ns);
    json.Field("clock", NameOf(alignment.source));
    json.Field("series_left_out", file.series_left_out);
    json.EndObject();
  }
  json.EndArray();
  json.Key("tracks");
  json.BeginArray();
  for (uint32_t i = 0; i < index.tracks().size(); ++i) WriteTrack(index, i, json);
  json.EndArray();
  json.Key("categories");
  json.BeginArray();
  for (size_t i = 0; i < kTimelineCategoryCount; ++i) {
    json.String(NameOf(static_cast<TimelineCategory>(i)));
  }
  json.EndArray();
  WriteSearchKeys(json);
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse TimelineSpans(const TimelineInput& input, const HttpRequest& request) {
  TimelineParameters parameters(request);
  const ViewRange range = parameters.Range(/*with_width=*/true);
  const std::vector<uint32_t> tracks =
      parameters.Tracks(input.index, [](const TimelineTrack& track) {
        return track.kind != TrackKind::kCriticalPath;  // costs time; only if asked for
      });
  SpanPart part;
  part.skip = static_cast<uint64_t>(parameters.InRange("skip", 0, 0, UINT32_MAX));
  part.most_bytes = kLargestAnswer;
  if (parameters.problem()) return WrongRequest(parameters);
  return BinaryResponse(EncodeSpans(ViewSpans(input.contexts, input.index, range, tracks, part)));
}

HttpResponse TimelineCounter(const TimelineInput& input, const HttpRequest& request) {
  TimelineParameters parameters(request);
  const ViewRange range = parameters.Range(/*with_width=*/true);
  const int64_t number = parameters.Required("track");
  if (parameters.problem()) return WrongRequest(parameters);
  const std::vector<TimelineTrack>& tracks = input.index.tracks();
  const auto id = static_cast<size_t>(number);
  if (number < 0 || id >= tracks.size() || tracks[id].series == kNoRow) {
    return ErrorResponse(404, "no_such_track",
                         "track " + std::to_string(number) +
                             " is no curve: see tracks of kind memory and counter in the layout");
  }
  const FileTimeline& file = input.index.files()[tracks[id].file];
  const std::vector<SeriesBin> bins =
      ViewSeries(file.series[tracks[id].series], file.ToFile(range.start_ns),
                 file.ToFile(range.end_ns), std::min(range.width, kMostPoints));
  return BinaryResponse(EncodeSeries(file, bins));
}

HttpResponse TimelineSearch(const TimelineInput& input, const HttpRequest& request) {
  TimelineParameters parameters(request);
  const std::optional<SearchQuery> query = QueryOf(request, parameters);
  SearchRequest search;
  search.near_ns = parameters.Integer("near");
  if (const std::optional<int64_t> before = parameters.Integer("before")) {
    search.near_ns = before;
    search.backwards = true;
  }
  search.limit = static_cast<size_t>(parameters.InRange("limit", 100, 0, 10'000));
  if (!query || parameters.problem()) return WrongRequest(parameters);
  search.query = *query;
  const SearchResult result = SearchSpans(input.contexts, input.index, search);
  JsonWriter json(/*indented=*/false);
  json.BeginObject();
  json.Field("total", result.total);
  json.Field("names_total", result.names_total);
  json.Field("by_arguments", !query->conditions.empty());
  json.Key("not_kept");
  json.BeginArray();
  for (const std::string& key : query->not_kept) json.String(RepairUtf8(key));
  json.EndArray();
  json.Key("names");
  json.BeginArray();
  for (const SearchName& name : result.names) {
    json.BeginObject();
    json.Field("name", name.name);
    json.Field("count", name.count);
    json.EndObject();
  }
  json.EndArray();
  json.Key("matches");
  json.BeginArray();
  for (const SearchMatch& match : result.matches) {
    if (json.size() > kLastRowBegins) break;
    WriteEventReference(input, match.file, match.row, json);
  }
  json.EndArray();
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse TimelineMatching(const TimelineInput& input, const HttpRequest& request) {
  TimelineParameters parameters(request);
  const std::optional<SearchQuery> query = QueryOf(request, parameters);
  const int64_t files = static_cast<int64_t>(input.contexts.size());
  const int64_t file = parameters.InRange("file", 0, 0, files - 1);
  const int64_t skip = parameters.InRange("skip", 0, 0, UINT32_MAX);
  if (!query || parameters.problem()) return WrongRequest(parameters);
  const auto number = static_cast<size_t>(file);
  const std::vector<uint8_t> matching =
      MatchingSpans(input.contexts[number], input.index.files()[number], *query);
  return BinaryResponse(EncodeMatching(matching, static_cast<size_t>(skip), kLargestAnswer));
}

HttpResponse TimelineSelection(const TimelineInput& input, const HttpRequest& request) {
  TimelineParameters parameters(request);
  const ViewRange range = parameters.Range(/*with_width=*/false);
  const auto limit = static_cast<size_t>(parameters.InRange("limit", 200, 0, 10'000));
  const std::vector<uint32_t> tracks =
      parameters.Tracks(input.index, [](const TimelineTrack& track) {
        return track.part != kNoRow;  // steps and critical path are the same time again
      });
  if (parameters.problem()) return WrongRequest(parameters);
  const SelectionStatistics statistics =
      DescribeSelection(input.contexts, input.index, range.start_ns, range.end_ns, tracks);
  JsonWriter json(/*indented=*/false);
  const auto write_sums = [&json](const BoxSums& sums) {
    json.Field("count", sums.count);
    json.Field("total_ns", sums.total_ns);
    json.Field("self_ns", sums.self_ns);
  };
  json.BeginObject();
  json.Field("start_ns", range.start_ns);
  json.Field("end_ns", range.end_ns);
  json.Field("names_total", statistics.names.size());
  json.Key("names");
  json.BeginArray();
  for (size_t i = 0; i < std::min(limit, statistics.names.size()); ++i) {
    if (json.size() > kLastRowBegins) break;
    const SelectedName& name = statistics.names[i];
    json.BeginObject();
    json.Field("name", name.name);
    json.Field("category", NameOf(name.category));
    write_sums(name.sums);
    json.EndObject();
  }
  json.EndArray();
  json.Key("categories");
  json.BeginArray();
  for (size_t i = 0; i < kTimelineCategoryCount; ++i) {
    if (statistics.categories[i].count == 0) continue;
    json.BeginObject();
    json.Field("category", NameOf(static_cast<TimelineCategory>(i)));
    write_sums(statistics.categories[i]);
    json.EndObject();
  }
  json.EndArray();
  json.Key("tracks");
  json.BeginArray();
  for (const SelectedTrack& track : statistics.tracks) {
    json.BeginObject();
    json.Field("track", track.track);
    json.Field("count", track.count);
    json.Field("busy_ns", track.busy_ns);
    json.Field("idle_ns", track.idle_ns);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace telltale
