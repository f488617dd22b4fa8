// SPDX-License-Identifier: Apache-2.0
#include "server/timeline_routes.h"

#include <algorithm>
#include <array>
#include <charconv>
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
#include "server/route.h"
#include "server/timeline_event_reference.h"

namespace telltale {

namespace {

// Of a curve: more than a screen is wide, and each is 32 bytes.
constexpr uint32_t kMostPoints = 30'000;

ParamSpec MomentParam(std::string_view name, bool required) {
  return {.name = name,
          .type = ParamType::kInteger,
          .help = "ns since the layout's origin_ns",
          .rounds = true,
          .required = required};
}

ParamSpec NumberParam(std::string_view name, int64_t least, int64_t most, std::string_view usual) {
  return {.name = name,
          .type = ParamType::kInteger,
          .least = least,
          .most = most,
          .rounds = true,
          .usual = usual};
}

// Of pixels; no screen exceeds it.
ParamSpec WidthParam() { return NumberParam("width", 1, 65536, "1000"); }
ParamSpec SkipParam() { return NumberParam("skip", 0, UINT32_MAX, "0"); }
ParamSpec LimitParam(std::string_view usual) { return NumberParam("limit", 0, 10'000, usual); }
ParamSpec TracksParam() { return {.name = "tracks", .type = ParamType::kText}; }

ParamSpec QueryParam() {
  return {.name = "q",
          .type = ParamType::kText,
          .help = "what to look for, as in q=aten::mm or q=stream=7",
          .required = true};
}

Result<ViewRange> RangeOf(const ParamValues& params) {
  ViewRange range;
  range.start_ns = params.Number("start");
  range.end_ns = params.Number("end");
  if (params.Has("width")) range.width = static_cast<uint32_t>(params.Number("width"));
  if (range.end_ns <= range.start_ns) return params.Wrong("end", "must be greater than start");
  return range;
}

// Numbers of tracks, each once, in the order given; without that parameter all for which
// `by_default` holds.
template <typename ByDefault>
Result<std::vector<uint32_t>> TracksOf(const ParamValues& params, const TimelineIndex& index,
                                       ByDefault by_default) {
  std::vector<uint32_t> tracks;
  const size_t count = index.tracks().size();
  if (!params.Has("tracks")) {
    for (uint32_t i = 0; i < count; ++i) {
      if (by_default(index.tracks()[i])) tracks.push_back(i);
    }
    return tracks;
  }
  const std::string_view text = params.Text("tracks");
  std::vector<bool> seen(count, false);
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    uint32_t track = 0;
    const auto read = std::from_chars(at, end, track);
    if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ',')) {
      return params.Wrong("tracks", "takes numbers with commas between them, as in tracks=0,1,2");
    }
    if (track >= count) {
      return params.Wrong("tracks", "names no track: there is no " + std::to_string(track));
    }
    if (!seen[track]) tracks.push_back(track);
    seen[track] = true;
    at = read.ptr == end ? end : read.ptr + 1;
  }
  return tracks;
}

Result<SearchQuery> QueryOf(const ParamValues& params) {
  Result<SearchQuery> query = ParseSearch(params.Text("q"));
  if (!query) return Fail(ErrorCode::kUsage, RepairUtf8(query.error().message));
  return query;
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

HttpResponse TimelineLayout(const TimelineInput& input, const ParamValues& /*params*/) {
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

std::span<const ParamSpec> TimelineSpansParams() {
  static const std::array<ParamSpec, 5> specs = {MomentParam("start", true),
                                                 MomentParam("end", true), WidthParam(),
                                                 TracksParam(), SkipParam()};
  return specs;
}

HttpResponse TimelineSpans(const TimelineInput& input, const ParamValues& params) {
  const Result<ViewRange> range = RangeOf(params);
  if (!range) return ErrorResponse(range.error());
  const Result<std::vector<uint32_t>> tracks =
      TracksOf(params, input.index, [](const TimelineTrack& track) {
        return track.kind != TrackKind::kCriticalPath;  // costs time; only if asked for
      });
  if (!tracks) return ErrorResponse(tracks.error());
  SpanPart part;
  part.skip = static_cast<uint64_t>(params.Number("skip"));
  part.most_bytes = kLargestAnswer;
  return BinaryResponse(EncodeSpans(ViewSpans(input.contexts, input.index, *range, *tracks, part)));
}

std::span<const ParamSpec> TimelineCounterParams() {
  static const std::array<ParamSpec, 4> specs = {MomentParam("start", true),
                                                 MomentParam("end", true),
                                                 WidthParam(),
                                                 {.name = "track",
                                                  .type = ParamType::kInteger,
                                                  .help = "one of the layout's tracks",
                                                  .rounds = true,
                                                  .required = true}};
  return specs;
}

HttpResponse TimelineCounter(const TimelineInput& input, const ParamValues& params) {
  const Result<ViewRange> range = RangeOf(params);
  if (!range) return ErrorResponse(range.error());
  const int64_t number = params.Number("track");
  const std::vector<TimelineTrack>& tracks = input.index.tracks();
  const auto id = static_cast<size_t>(number);
  if (number < 0 || id >= tracks.size() || tracks[id].series == kNoRow) {
    return ErrorResponse(404, "no_such_track",
                         "track " + std::to_string(number) +
                             " is no curve: see tracks of kind memory and counter in the layout");
  }
  const FileTimeline& file = input.index.files()[tracks[id].file];
  const std::vector<SeriesBin> bins =
      ViewSeries(file.series[tracks[id].series], file.ToFile(range->start_ns),
                 file.ToFile(range->end_ns), std::min(range->width, kMostPoints));
  return BinaryResponse(EncodeSeries(file, bins));
}

std::span<const ParamSpec> TimelineSearchParams() {
  static const std::array<ParamSpec, 4> specs = {QueryParam(), MomentParam("near", false),
                                                 MomentParam("before", false), LimitParam("100")};
  return specs;
}

HttpResponse TimelineSearch(const TimelineInput& input, const ParamValues& params) {
  const Result<SearchQuery> query = QueryOf(params);
  if (!query) return ErrorResponse(query.error());
  SearchRequest search;
  search.near_ns = params.Integer("near");
  if (const std::optional<int64_t> before = params.Integer("before")) {
    search.near_ns = before;
    search.backwards = true;
  }
  search.limit = static_cast<size_t>(params.Number("limit"));
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

std::span<const ParamSpec> TimelineMatchingParams() {
  static const std::array<ParamSpec, 3> specs = {
      QueryParam(), NumberParam("file", 0, INT32_MAX, "0"), SkipParam()};
  return specs;
}

HttpResponse TimelineMatching(const TimelineInput& input, const ParamValues& params) {
  const Result<SearchQuery> query = QueryOf(params);
  if (!query) return ErrorResponse(query.error());
  const auto number = static_cast<size_t>(params.Number("file"));
  if (number >= input.contexts.size()) {
    return ErrorResponse(
        params.Wrong("file", "takes a number below " + std::to_string(input.contexts.size()))
            .value());
  }
  const std::vector<uint8_t> matching =
      MatchingSpans(input.contexts[number], input.index.files()[number], *query);
  return BinaryResponse(
      EncodeMatching(matching, static_cast<size_t>(params.Number("skip")), kLargestAnswer));
}

std::span<const ParamSpec> TimelineSelectionParams() {
  static const std::array<ParamSpec, 4> specs = {
      MomentParam("start", true), MomentParam("end", true), TracksParam(), LimitParam("200")};
  return specs;
}

HttpResponse TimelineSelection(const TimelineInput& input, const ParamValues& params) {
  const Result<ViewRange> range = RangeOf(params);
  if (!range) return ErrorResponse(range.error());
  const auto limit = static_cast<size_t>(params.Number("limit"));
  const Result<std::vector<uint32_t>> tracks =
      TracksOf(params, input.index, [](const TimelineTrack& track) {
        return track.part != kNoRow;  // steps and critical path are the same time again
      });
  if (!tracks) return ErrorResponse(tracks.error());
  const SelectionStatistics statistics =
      DescribeSelection(input.contexts, input.index, range->start_ns, range->end_ns, *tracks);
  JsonWriter json(/*indented=*/false);
  const auto write_sums = [&json](const BoxSums& sums) {
    json.Field("count", sums.count);
    json.Field("total_ns", sums.total_ns);
    json.Field("self_ns", sums.self_ns);
  };
  json.BeginObject();
  json.Field("start_ns", range->start_ns);
  json.Field("end_ns", range->end_ns);
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
