// SPDX-License-Identifier: Apache-2.0
// Images and sounds: the steps of a tag, and the bytes of one.
#include <array>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/protobuf.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/media_values.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/stored_values.h"
#include "server/tensorboard/tag_index.h"
#include "server/url.h"

namespace telltale {

namespace {

constexpr std::string_view kWav = "audio/wav";

HttpResponse AnswerTagsWithSamples(const DataContext& context, std::string_view plugin) {
  return TagIndex(context, plugin, [&](const BoardSeries& series, JsonWriter& json) {
    json.Field("samples", MostSamples(context, series));
  });
}

HttpResponse AnswerImageTags(const DataContext& context, const DataRequest& /*request*/) {
  return AnswerTagsWithSamples(context, "images");
}

HttpResponse AnswerAudioTags(const DataContext& context, const DataRequest& /*request*/) {
  return AnswerTagsWithSamples(context, "audio");
}

// What old values are, and what a new one says of itself.
bool IsWav(const FoundValues& found) {
  if (found.plugin_content.empty() || found.plugin_content.starts_with('{')) return true;
  constexpr uint64_t kWavEncoding = 11;
  uint64_t encoding = 0;
  for (protobuf::MessageReader reader(found.plugin_content); reader.Next();) {
    if (reader.field().number == 2) encoding = reader.field().value;
  }
  return encoding == kWavEncoding;
}

HttpResponse AnswerStepsOfMedia(const DataContext& context, const DataRequest& request,
                                std::string_view plugin, std::string_view what) {
  const std::string_view run = request.Argument("run").value_or("");
  const std::string_view tag = request.Argument("tag").value_or("");
  const std::optional<int64_t> sample = request.Number("sample", 0);
  if (!sample || *sample < 0) return InvalidArgument("sample takes a number from 0");
  const FoundValues found = FindValues(context, run, tag, plugin);
  if (!found.found) {
    return NotFound(
        fmt::format("No {} data for run={}, tag={}", what, PythonQuoted(run), PythonQuoted(tag)));
  }
  const std::string_view type = IsWav(found) ? kWav : "application/octet-stream";
  JsonWriter json(false);
  json.BeginArray();
  for (const MediaStep& step : MediaSteps(context, plugin, found.values)) {
    if (static_cast<size_t>(*sample) >= step.samples) continue;
    const std::string key = BlobKey({std::string(plugin), std::string(run), std::string(tag),
                                     step.step, static_cast<size_t>(*sample)});
    json.BeginObject();
    json.Key("wall_time");
    json.Raw(JsonNumber(step.wall_time));
    if (plugin == "audio") json.Field("label", "");
    json.Field("step", step.step);
    if (plugin == "audio") {
      json.Field("contentType", type);
      std::string encoded = PercentEncode(type);
      if (const size_t slash = encoded.find('/'); slash != std::string::npos) {
        encoded.replace(slash, 1, "%2F");
      }
      json.Field("query", fmt::format("blob_key={}&content_type={}", key, encoded));
    } else {
      json.Field("query", fmt::format("blob_key={}", key));
    }
    json.EndObject();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

HttpResponse AnswerImages(const DataContext& context, const DataRequest& request) {
  return AnswerStepsOfMedia(context, request, "images", "image");
}

HttpResponse AnswerAudio(const DataContext& context, const DataRequest& request) {
  return AnswerStepsOfMedia(context, request, "audio", "audio");
}

HttpResponse AnswerOneImage(const DataContext& context, const DataRequest& request) {
  return BlobResponse(context, request.Argument("blob_key").value_or(""), "images");
}

HttpResponse AnswerOneSound(const DataContext& context, const DataRequest& request) {
  const std::string_view type = request.Argument("content_type").value_or("");
  if (type != kWav && type != "application/octet-stream") {
    return InvalidArgument(fmt::format("Illegal mime type {}", PythonQuoted(type)));
  }
  HttpResponse response = BlobResponse(context, request.Argument("blob_key").value_or(""), "audio");
  if (response.status == 200) response.content_type = type;
  return response;
}

}  // namespace

std::span<const DataRoute> MediaDataRoutes() {
  static constexpr std::array<DataRoute, 6> kRoutes = {{
      {"plugin/images/tags", AnswerImageTags},
      {"plugin/images/images", AnswerImages},
      {"plugin/images/individualImage", AnswerOneImage},
      {"plugin/audio/tags", AnswerAudioTags},
      {"plugin/audio/audio", AnswerAudio},
      {"plugin/audio/individualAudio", AnswerOneSound},
  }};
  return kRoutes;
}

}  // namespace telltale
