// SPDX-License-Identifier: Apache-2.0
// The plugin `timeseries`: scalars, histograms and images of one page, several series at a time.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/json/value.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/histogram_values.h"
#include "server/tensorboard/media_values.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/tag_index.h"

namespace telltale {

namespace {

constexpr size_t kMostRequests = 10'000;

void WriteRunTags(const Board& board, std::string_view plugin, JsonWriter& json) {
  json.BeginObject();
  board.ForEachRun([&](const BoardRun& run) {
    std::vector<std::string> tags;
    const std::vector<BoardSeries> all = run.Series(plugin);
    if (all.empty()) return;
    for (const BoardSeries& series : all) {
      if (HasKnownVersion(series)) tags.push_back(RepairUtf8(series.tag()));
    }
    std::ranges::sort(tags);
    json.Key(RepairUtf8(run.name()));
    json.BeginArray();
    for (const std::string& tag : tags) json.String(tag);
    json.EndArray();
  });
  json.EndObject();
}

void WriteImageTags(const DataContext& context, JsonWriter& json) {
  std::map<std::string, std::vector<std::pair<std::string, size_t>>> by_tag;
  context.board.ForEachRun([&](const BoardRun& run) {
    for (const BoardSeries& series : run.Series("images")) {
      if (!HasKnownVersion(series)) continue;
      const size_t samples = MostSamples(context, series);
      by_tag[RepairUtf8(series.tag())].emplace_back(RepairUtf8(run.name()), samples);
    }
  });
  json.BeginObject();
  for (const auto& [tag, runs] : by_tag) {
    json.Key(tag);
    json.BeginObject();
    for (const auto& [run, samples] : runs) {
      json.Key(run);
      json.BeginObject();
      json.Field("maxSamplesPerStep", samples);
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndObject();
}

HttpResponse AnswerTags(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginObject();
  for (const std::string_view plugin : {"scalars", "histograms"}) {
    json.Key(plugin);
    json.BeginObject();
    json.Key("runTagInfo");
    WriteRunTags(context.board, plugin, json);
    json.Key("tagDescriptions");
    WriteTagDescriptions(context.board, plugin, json);
    json.EndObject();
  }
  json.Key("images");
  json.BeginObject();
  json.Key("tagDescriptions");
  WriteTagDescriptions(context.board, "images", json);
  json.Key("tagRunSampledInfo");
  WriteImageTags(context, json);
  json.EndObject();
  json.EndObject();
  return JsonResponse(json.Take());
}

std::string ScalarSteps(const BoardSeries& series, bool purge) {
  std::string out = "[";
  series.ForEachPoint(purge, [&](const ScalarPoint& point) {
    out += out.size() > 1 ? ",{\"wallTime\":" : "{\"wallTime\":";
    AppendJsonNumber(point.wall_time, out);
    fmt::format_to(std::back_inserter(out), ",\"step\":{},\"value\":", point.step);
    AppendJsonNumber(point.value, out);
    out += '}';
  });
  return out + "]";
}

std::string HistogramSteps(const DataContext& context, const std::vector<BoardValue>& values) {
  std::string out = "[";
  ForEachHistogram(context.board.gate(), values, [&](const HistogramStep& step) {
    out += out.size() > 1 ? ",{\"wallTime\":" : "{\"wallTime\":";
    AppendJsonNumber(step.wall_time, out);
    fmt::format_to(std::back_inserter(out), ",\"step\":{},\"bins\":[", step.step);
    bool first = true;
    for (const HistogramBucket& bucket : step.buckets) {
      out += first ? "{\"min\":" : ",{\"min\":";
      first = false;
      AppendJsonNumber(bucket.left, out);
      out += ",\"max\":";
      AppendJsonNumber(bucket.right, out);
      out += ",\"count\":";
      AppendJsonNumber(bucket.count, out);
      out += '}';
    }
    out += "]}";
  });
  return out + "]";
}

// Empty where no step has that sample.
std::string ImageSteps(const DataContext& context, std::string_view run, std::string_view tag,
                       const std::vector<BoardValue>& values, int64_t sample) {
  std::string out;
  for (const MediaStep& step : MediaSteps(context, "images", values)) {
    if (sample < 0 || static_cast<size_t>(sample) >= step.samples) continue;
    out += out.empty() ? "[{\"step\":" : ",{\"step\":";
    fmt::format_to(std::back_inserter(out), "{},\"wallTime\":{},\"imageId\":{}}}", step.step,
                   JsonNumber(step.wall_time),
                   QuotedJson(BlobKey({"images", std::string(run), std::string(tag), step.step,
                                       static_cast<size_t>(sample)})));
  }
  return out.empty() ? out : out + "]";
}

void WriteSeries(const DataContext& context, const JsonValue& asked, JsonWriter& json) {
  const std::string& tag = asked["tag"].AsString();
  const std::string& plugin = asked["plugin"].AsString();
  const int64_t sample = asked["sample"].AsInt();
  json.Key("runToSeries");
  json.BeginObject();
  const auto write = [&](const BoardRun& run) {
    const std::optional<BoardSeries> series = run.Find(tag, plugin);
    if (!series) return;
    std::string steps;
    if (plugin == "scalars") {
      steps = ScalarSteps(*series, context.options.purge);
    } else if (plugin == "histograms") {
      steps = HistogramSteps(context, series->Values(context.options.purge));
    } else {
      steps = ImageSteps(context, run.name(), tag, series->Values(context.options.purge), sample);
    }
    if (steps.empty()) return;
    json.Key(RepairUtf8(run.name()));
    json.Raw(steps);
  };
  if (const std::string& run = asked["run"].AsString(); !run.empty()) {
    context.board.WithRun(run, write);
  } else {
    context.board.ForEachRun(write);
  }
  json.EndObject();
}

std::string_view ProblemOf(const JsonValue& asked) {
  const std::string& plugin = asked["plugin"].AsString();
  if (!asked["tag"].IsString()) return "Missing tag";
  if (plugin != "scalars" && plugin != "histograms" && plugin != "images") return "Invalid plugin";
  if (plugin != "scalars" && !asked["run"].IsString()) return "Missing run";
  if (plugin == "images" && asked["sample"].kind() != JsonValue::Kind::kInt) {
    return "Missing sample";
  }
  return "";
}

HttpResponse AnswerTimeSeries(const DataContext& context, const DataRequest& request) {
  std::string_view text = request.Argument("requests").value_or("");
  if (request.posted()) {
    const std::vector<std::string_view> posted = request.Posted("requests");
    text = posted.empty() ? std::string_view() : posted[0];
  }
  if (text.empty()) return InvalidArgument("Missing 'requests' field");
  const Result<JsonValue> requests = ParseJson(text);
  if (!requests) return InvalidArgument("Unable to parse 'requests' as JSON");
  if (!requests->IsArray() || requests->elements().size() > kMostRequests) {
    return InvalidArgument("'requests' takes a list of objects");
  }
  JsonWriter json(false);
  json.BeginArray();
  for (const JsonValue& asked : requests->elements()) {
    if (!asked.IsObject()) return InvalidArgument("'requests' takes a list of objects");
    json.BeginObject();
    for (const std::string_view key : {"plugin", "tag"}) {
      json.Key(key);
      json.Raw(ToJsonText(asked[key]));
    }
    if (asked["run"].IsString()) json.Field("run", asked["run"].AsString());
    if (asked["sample"].kind() == JsonValue::Kind::kInt) {
      json.Field("sample", asked["sample"].AsInt());
    }
    if (const std::string_view problem = ProblemOf(asked); !problem.empty()) {
      json.Field("error", problem);
    } else {
      WriteSeries(context, asked, json);
    }
    json.EndObject();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

HttpResponse AnswerImageData(const DataContext& context, const DataRequest& request) {
  const std::string_view key = request.Argument("imageId").value_or("");
  if (key.empty()) return InvalidArgument("Missing 'imageId' field");
  return BlobResponse(context, key, "images");
}

}  // namespace

std::span<const DataRoute> TimeSeriesDataRoutes() {
  static constexpr std::array<DataRoute, 3> kRoutes = {{
      {"plugin/timeseries/tags", AnswerTags},
      {"plugin/timeseries/timeSeries", AnswerTimeSeries, DataMethod::kBoth, true},
      {"plugin/timeseries/imageData", AnswerImageData},
  }};
  return kRoutes;
}

}  // namespace telltale
