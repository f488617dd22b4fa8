// SPDX-License-Identifier: Apache-2.0
// What runs logged besides numbers: histograms, pictures, sounds, texts, curves, meshes. It stays
// on disk, and is decoded when somebody looks. Texts are texts here, never markup.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/series/histogram.h"
#include "base/json/value.h"
#include "base/json_writer.h"
#include "base/media_type.h"
#include "base/utf8.h"
#include "formats/tfevents/decode.h"
#include "formats/tfevents/mesh.h"
#include "server/blob_response.h"
#include "server/largest_answer.h"
#include "server/logged_table.h"
#include "server/route.h"
#include "server/run_json.h"
#include "server/run_routes.h"
#include "server/run_values.h"
#include "server/tensorboard/custom_layout.h"
#include "views/runs/histogram_buckets.h"

namespace telltale {

namespace {

ParamSpec RunParam() {
  return {.name = "run", .type = ParamType::kText, .help = "the id of a run", .required = true};
}
ParamSpec TagParam() {
  return {.name = "tag", .type = ParamType::kText, .help = "a tag of the run", .required = true};
}
ParamSpec RawParam() { return {.name = "raw"}; }

std::span<const ParamSpec> StepParams() {
  static const std::vector<ParamSpec> specs = {
      RunParam(),
      TagParam(),
      {.name = "limit",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 2000,
       .clamps = true,
       .usual = "200"},
      RawParam(),
  };
  return specs;
}

HttpResponse NoSuchTag() {
  return ErrorResponse(
      404, "no_such_tag",
      "the run has no such tag of this kind; /api/v1/series/tags lists those there "
      "are");
}

// Calls write(value, bytes) for as many steps as `limit` says, evenly spread, until the answer is
// large; {"total", "steps": […]}.
template <typename Write>
HttpResponse StepsAnswer(const RouteContext& context, const RouteRequest& request,
                         std::string_view plugin, Write write) {
  if (context.runs == nullptr) return NoRuns();
  const std::optional<RunValues> found =
      FindRunValues(context, request.params.Text("run"), request.params.Text("tag"), plugin,
                    request.params.Has("raw"));
  if (!found) return NoSuchTag();
  const FileGate& gate = context.runs->workspace().gate();
  return JsonResponse(WriteWithin(request.params.Number("limit"), [&](int64_t limit) {
    JsonWriter json(false);
    json.BeginObject();
    json.Field("plugin", RepairUtf8(found->plugin));
    json.Field("total", found->values.size());
    json.Key("steps");
    json.BeginArray();
    for (const size_t at : SpreadPlaces(found->values.size(), static_cast<size_t>(limit))) {
      const RunValue& value = found->values[at];
      json.BeginObject();
      json.Field("index", at);
      json.Field("step", value.stored.step);
      json.Key("wall");
      WriteNumber(value.stored.wall_time, json);
      write(value, gate, json);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    return json.Take();
  }));
}

// Of an event file, or as W&B has them.
std::vector<HistogramBucket> ShownBuckets(const RunValue& value, const FileGate& gate) {
  if (!value.json.empty()) {
    const Result<JsonValue> json = ParseJson(value.json);
    std::vector<HistogramBucket> buckets;
    if (!json) return buckets;
    const std::vector<JsonValue>& edges = (*json)["bins"].elements();
    const std::vector<JsonValue>& counts = (*json)["values"].elements();
    for (size_t i = 0; i < counts.size() && i + 1 < edges.size(); ++i) {
      buckets.push_back({edges[i].AsDouble(), edges[i + 1].AsDouble(), counts[i].AsDouble()});
    }
    return buckets;
  }
  const std::optional<std::string> bytes = BytesOf(gate, value);
  if (!bytes) return {};
  const Result<tfevents::HistogramValue> histogram = tfevents::DecodeHistogram(*bytes);
  return histogram ? BucketsOf(*histogram) : std::vector<HistogramBucket>();
}

HttpResponse Histograms(const RouteContext& context, const RouteRequest& request) {
  return StepsAnswer(context, request, "histograms",
                     [](const RunValue& value, const FileGate& gate, JsonWriter& json) {
                       json.Key("buckets");
                       json.BeginArray();
                       for (const HistogramBucket& bucket : ShownBuckets(value, gate)) {
                         json.BeginArray();
                         for (const double part : {bucket.left, bucket.right, bucket.count}) {
                           WriteNumber(part, json);
                         }
                         json.EndArray();
                       }
                       json.EndArray();
                     });
}

HttpResponse Distributions(const RouteContext& context, const RouteRequest& request) {
  return StepsAnswer(context, request, "histograms",
                     [](const RunValue& value, const FileGate& gate, JsonWriter& json) {
                       json.Key("values");
                       json.BeginArray();
                       for (const double part : Distribution(ShownBuckets(value, gate))) {
                         WriteNumber(part, json);
                       }
                       json.EndArray();
                     });
}

// The samples of a value: pictures or sounds. Views into `bytes`.
std::vector<tfevents::MediaSample> SamplesOf(const RunValue& value, std::string_view plugin,
                                             std::string_view bytes) {
  if (value.path.empty()) {
    tfevents::MediaSample whole;
    whole.bytes = bytes;
    return {whole};
  }
  Result<std::vector<tfevents::MediaSample>> samples =
      plugin == "audio" ? tfevents::DecodeAudio(bytes) : tfevents::DecodeImages(bytes);
  return samples ? std::move(*samples) : std::vector<tfevents::MediaSample>();
}

// By the picture's own head, else as its writer said.
void WriteSize(const tfevents::MediaSample& sample, JsonWriter& json) {
  const std::optional<ImageSize> size = SizeOfImage(sample.bytes);
  const auto field = [&](std::string_view key, int64_t by_head, int64_t by_writer) {
    const int64_t known = size ? by_head : by_writer;
    json.Field(key, known > 0 ? std::optional(known) : std::nullopt);
  };
  field("width", size ? size->width : 0, sample.width);
  field("height", size ? size->height : 0, sample.height);
}

HttpResponse Media(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const std::optional<RunValues> found =
      FindRunValues(context, request.params.Text("run"), request.params.Text("tag"), "",
                    request.params.Has("raw"));
  if (!found) return NoSuchTag();
  const std::string plugin = found->plugin;
  return StepsAnswer(
      context, request, plugin, [&](const RunValue& value, const FileGate& gate, JsonWriter& json) {
        json.Key("samples");
        json.BeginArray();
        const std::string bytes = BytesOf(gate, value).value_or("");
        const std::vector<tfevents::MediaSample> samples = SamplesOf(value, plugin, bytes);
        for (size_t i = 0; i < samples.size(); ++i) {
          json.BeginObject();
          json.Field("sample", i);
          WriteSize(samples[i], json);
          json.Field("content_type", SafeTypeOf(samples[i].bytes));
          json.Field("bytes", samples[i].bytes.size());
          json.EndObject();
        }
        json.EndArray();
      });
}

std::span<const ParamSpec> BlobParams() {
  static const std::vector<ParamSpec> specs = {
      RunParam(),
      TagParam(),
      {.name = "index", .type = ParamType::kInteger, .least = 0, .usual = "0"},
      {.name = "sample", .type = ParamType::kInteger, .least = 0, .usual = "0"},
      RawParam(),
  };
  return specs;
}

HttpResponse Blob(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const std::optional<RunValues> found =
      FindRunValues(context, request.params.Text("run"), request.params.Text("tag"), "",
                    request.params.Has("raw"));
  if (!found) return NoSuchTag();
  const auto index = static_cast<size_t>(request.params.Number("index"));
  const auto sample = static_cast<size_t>(request.params.Number("sample"));
  if (index >= found->values.size()) return NoSuchTag();
  const std::optional<std::string> bytes =
      BytesOf(context.runs->workspace().gate(), found->values[index]);
  if (!bytes) return ErrorResponse(422, "unreadable", "the value cannot be read any more");
  const std::vector<tfevents::MediaSample> samples =
      SamplesOf(found->values[index], found->plugin, *bytes);
  if (sample >= samples.size()) return NoSuchTag();
  return BlobAnswer(std::string(samples[sample].bytes));
}

// Texts of a value: rows of cells. Of a table the first row has the names of its columns.
struct ShownTexts {
  std::vector<int64_t> shape;
  std::vector<std::vector<std::string>> rows;
  std::optional<size_t> table_rows;  // of a table: how many there are, shown or not
};

ShownTexts TextsOf(const RunValue& value, const FileGate& gate) {
  ShownTexts shown;
  if (!value.json.empty()) {
    const Result<JsonValue> parsed = ParseJson(value.json);
    shown.rows = {{parsed && parsed->IsString() ? parsed->AsString() : value.json}};
    return shown;
  }
  const std::string bytes = BytesOf(gate, value).value_or("");
  if (const Result<tfevents::TextValue> text = tfevents::DecodeText(bytes)) {
    shown.shape = text->shape;
    shown.rows.resize(text->rows);
    for (size_t row = 0; row < text->rows; ++row) {
      for (size_t column = 0; column < text->columns; ++column) {
        shown.rows[row].emplace_back(text->Cell(row, column));
      }
    }
  }
  return shown;
}

// A table, or the source of a page, which is shown and never run: its file, else what was logged.
ShownTexts LoggedTexts(const RunValue& value, std::string_view plugin, const FileGate& gate) {
  const std::string text = value.file.empty() ? value.json : BytesOf(gate, value).value_or("");
  ShownTexts shown;
  if (plugin == "table") {
    LoggedTable table = ReadLoggedTable(text);
    shown.table_rows = table.total;
    shown.rows = std::move(table.rows);
  } else {
    constexpr size_t kMostSource = 100'000;
    shown.rows = {{RepairUtf8(std::string_view(text).substr(0, kMostSource))}};
  }
  return shown;
}

HttpResponse Texts(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  std::string_view plugin = "text";
  for (const std::string_view of : {"text", "table", "html", "object"}) {
    plugin = of;
    if (FindRunValues(context, request.params.Text("run"), request.params.Text("tag"), of,
                      request.params.Has("raw"))) {
      break;
    }
  }
  return StepsAnswer(
      context, request, plugin, [&](const RunValue& value, const FileGate& gate, JsonWriter& json) {
        const ShownTexts shown =
            plugin == "text" ? TextsOf(value, gate) : LoggedTexts(value, plugin, gate);
        json.Key("shape");
        json.BeginArray();
        for (const int64_t size : shown.shape) json.Int(size);
        json.EndArray();
        if (shown.table_rows) json.Field("table_rows", *shown.table_rows);
        json.Key("rows");
        json.BeginArray();
        for (const std::vector<std::string>& row : shown.rows) {
          json.BeginArray();
          for (const std::string& cell : row) json.String(cell);
          json.EndArray();
        }
        json.EndArray();
      });
}

HttpResponse PrCurves(const RouteContext& context, const RouteRequest& request) {
  return StepsAnswer(context, request, "pr_curves",
                     [](const RunValue& value, const FileGate& gate, JsonWriter& json) {
                       const std::string bytes = BytesOf(gate, value).value_or("");
                       const tfevents::PrCurve curve =
                           tfevents::DecodePrCurve(bytes).value_or(tfevents::PrCurve());
                       const auto row = [&](std::string_view key,
                                            const std::vector<double>& numbers) {
                         json.Key(key);
                         json.BeginArray();
                         for (const double number : numbers) WriteNumber(number, json);
                         json.EndArray();
                       };
                       json.Field("thresholds", curve.thresholds.size());
                       row("true_positives", curve.true_positives);
                       row("false_positives", curve.false_positives);
                       row("true_negatives", curve.true_negatives);
                       row("false_negatives", curve.false_negatives);
                       row("precision", curve.precision);
                       row("recall", curve.recall);
                     });
}

HttpResponse Mesh(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const std::optional<RunValues> found =
      FindRunValues(context, request.params.Text("run"), request.params.Text("tag"), "mesh",
                    request.params.Has("raw"));
  if (!found) return NoSuchTag();
  const tfevents::MeshPart part = tfevents::ReadMeshPart(found->plugin_content);
  return StepsAnswer(
      context, request, "mesh", [&](const RunValue& value, const FileGate& gate, JsonWriter& json) {
        constexpr std::array<std::string_view, 4> kKinds = {"undefined", "vertex", "face", "color"};
        json.Field("mesh", part.name);
        json.Field("part", kKinds[static_cast<size_t>(part.kind)]);
        json.Field("config", part.config);
        const std::string bytes = BytesOf(gate, value).value_or("");
        const Result<tfevents::Tensor> tensor = tfevents::DecodeValueTensor(bytes);
        json.Key("shape");
        json.BeginArray();
        for (size_t i = 0; tensor && i < tensor->shape.size(); ++i) {
          json.Int(tensor->shape[i]);
        }
        json.EndArray();
        json.Key("numbers");
        json.BeginArray();
        for (size_t i = 0; tensor && i < tensor->numbers.size(); ++i) {
          WriteNumber(tensor->numbers[i], json);
        }
        json.EndArray();
      });
}

std::span<const ParamSpec> RunParams() {
  static const std::vector<ParamSpec> specs = {RunParam(), RawParam()};
  return specs;
}

HttpResponse CustomScalars(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  tfevents::CustomLayout layout;
  const std::optional<RunValues> found =
      FindRunValues(context, request.params.Text("run"), tfevents::kLayoutTag, "custom_scalars",
                    request.params.Has("raw"));
  if (found && !found->values.empty()) {
    const std::string bytes =
        BytesOf(context.runs->workspace().gate(), found->values.back()).value_or("");
    const Result<tfevents::Tensor> tensor = tfevents::DecodeValueTensor(bytes);
    if (tensor && !tensor->strings.empty()) {
      layout = tfevents::ReadCustomLayout(tensor->strings[0]);
    }
  }
  JsonWriter json(false);
  json.BeginObject();
  WriteLayout(layout, json);
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::span<const Route> StoredSeriesRoutes() {
  static constexpr std::array<Route, 8> kRoutes = {{
      {"GET", "/api/v1/series/histograms", Histograms, StepParams},
      {"GET", "/api/v1/series/distributions", Distributions, StepParams},
      {"GET", "/api/v1/series/media", Media, StepParams},
      {"GET", "/api/v1/series/blob", Blob, BlobParams},
      {"GET", "/api/v1/series/texts", Texts, StepParams},
      {"GET", "/api/v1/series/pr_curves", PrCurves, StepParams},
      {"GET", "/api/v1/series/mesh", Mesh, StepParams},
      {"GET", "/api/v1/series/custom_scalars", CustomScalars, RunParams},
  }};
  return kRoutes;
}

}  // namespace telltale
