// SPDX-License-Identifier: Apache-2.0
#include "server/timeline_routes.h"

#include <string>

#include "analysis/timeline/categories.h"
#include "analysis/timeline/encode.h"
#include "analysis/timeline/series.h"
#include "analysis/timeline/span_view.h"
#include "base/json_writer.h"
#include "server/timeline_parameters.h"

namespace telltale {

namespace {

HttpResponse WrongRequest(const TimelineParameters& parameters) {
  return ErrorResponse(400, "wrong_parameter", parameters.problem().value_or(""));
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
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse TimelineSpans(const TimelineInput& input, const HttpRequest& request) {
  TimelineParameters parameters(request);
  const ViewRange range = parameters.Range(/*with_width=*/true);
  const std::vector<uint32_t> tracks = parameters.Tracks(input.index.tracks().size());
  if (parameters.problem()) return WrongRequest(parameters);
  return BinaryResponse(EncodeSpans(ViewSpans(input.contexts, input.index, range, tracks)));
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
                 file.ToFile(range.end_ns), range.width);
  return BinaryResponse(EncodeSeries(file, bins));
}

}  // namespace telltale
