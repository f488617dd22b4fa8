// SPDX-License-Identifier: Apache-2.0
// Precision and recall over thresholds.
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "formats/tfevents/decode.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/stored_values.h"
#include "server/tensorboard/tag_index.h"

namespace telltale {

namespace {

constexpr std::string_view kCurves = "pr_curves";

HttpResponse AnswerTags(const DataContext& context, const DataRequest& /*request*/) {
  return TagIndex(context, kCurves);
}

void WriteRow(std::string_view key, std::span<const double> row, bool whole, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const double value : row) json.Raw(JsonNumber(whole ? std::trunc(value) : value));
  json.EndArray();
}

void WriteCurve(const StoredValue& value, const tfevents::PrCurve& curve, JsonWriter& json) {
  const auto shown = [&](const std::vector<double>& row) {
    return std::span(row).first(curve.shown);
  };
  json.BeginObject();
  json.Key("wall_time");
  json.Raw(JsonNumber(value.wall_time));
  json.Field("step", value.step);
  WriteRow("precision", shown(curve.precision), false, json);
  WriteRow("recall", shown(curve.recall), false, json);
  WriteRow("true_positives", shown(curve.true_positives), true, json);
  WriteRow("false_positives", shown(curve.false_positives), true, json);
  WriteRow("true_negatives", shown(curve.true_negatives), true, json);
  WriteRow("false_negatives", shown(curve.false_negatives), true, json);
  WriteRow("thresholds", shown(curve.thresholds), false, json);
  json.EndObject();
}

HttpResponse AnswerCurves(const DataContext& context, const DataRequest& request) {
  const std::vector<std::string_view> runs = request.Arguments("run");
  const std::string_view tag = request.Argument("tag").value_or("");
  if (runs.empty()) return PlainResponse(400, "No runs provided when fetching PR curve data");
  if (tag.empty()) return PlainResponse(400, "No tag provided when fetching PR curve data");
  JsonWriter json(false);
  json.BeginObject();
  for (const std::string_view run : runs) {
    const FoundValues found = FindValues(context, run, tag, kCurves);
    if (!found.found) {
      return PlainResponse(400, fmt::format("No PR curves could be found for run {} and tag {}",
                                            PythonQuoted(run), PythonQuoted(tag)));
    }
    json.Key(RepairUtf8(run));
    json.BeginArray();
    ForEachStored(context.board.gate(), found.values,
                  [&](const StoredValue& value, std::string_view bytes) {
                    const Result<tfevents::PrCurve> curve = tfevents::DecodePrCurve(bytes);
                    if (curve) WriteCurve(value, *curve, json);
                  });
    json.EndArray();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::span<const DataRoute> CurveDataRoutes() {
  static constexpr std::array<DataRoute, 2> kRoutes = {{
      {"plugin/pr_curves/tags", AnswerTags},
      {"plugin/pr_curves/pr_curves", AnswerCurves, DataMethod::kGet, true},
  }};
  return kRoutes;
}

}  // namespace telltale
