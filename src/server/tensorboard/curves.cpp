// SPDX-License-Identifier: Apache-2.0
// Precision and recall over thresholds.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/decoded_values.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/stored_values.h"
#include "server/tensorboard/tag_index.h"

namespace telltale {

namespace {

constexpr std::string_view kCurves = "pr_curves";
enum Row : size_t { kTrue, kFalse, kTrueNegative, kFalseNegative, kPrecision, kRecall, kRows };

HttpResponse AnswerTags(const DataContext& context, const DataRequest& /*request*/) {
  return TagIndex(context, kCurves);
}

void WriteRow(std::string_view key, const tfevents::Tensor& tensor, size_t row, size_t thresholds,
              size_t shown, bool whole, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (size_t i = 0; i < shown; ++i) {
    const double value = tensor.numbers[row * thresholds + i];
    json.Raw(JsonNumber(whole ? std::trunc(value) : value));
  }
  json.EndArray();
}

void WriteCurve(const StoredValue& value, const tfevents::Tensor& tensor, JsonWriter& json) {
  const size_t thresholds = tensor.numbers.size() / kRows;
  // Behind the last threshold that anything passes, there is no precision.
  size_t shown = thresholds;
  const auto passed = [&](size_t i) {
    return std::trunc(tensor.numbers[i]) + std::trunc(tensor.numbers[thresholds + i]);
  };
  while (shown > 1 && passed(shown - 1) == 0) --shown;
  json.BeginObject();
  json.Key("wall_time");
  json.Raw(JsonNumber(value.wall_time));
  json.Field("step", value.step);
  WriteRow("precision", tensor, kPrecision, thresholds, shown, false, json);
  WriteRow("recall", tensor, kRecall, thresholds, shown, false, json);
  WriteRow("true_positives", tensor, kTrue, thresholds, shown, true, json);
  WriteRow("false_positives", tensor, kFalse, thresholds, shown, true, json);
  WriteRow("true_negatives", tensor, kTrueNegative, thresholds, shown, true, json);
  WriteRow("false_negatives", tensor, kFalseNegative, thresholds, shown, true, json);
  json.Key("thresholds");
  json.BeginArray();
  const double step = thresholds > 1 ? 1.0 / static_cast<double>(thresholds - 1) : 0;
  for (size_t i = 0; i < shown; ++i) {
    json.Raw(JsonNumber(i > 0 && i + 1 == thresholds ? 1 : static_cast<double>(i) * step));
  }
  json.EndArray();
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
    ForEachStored(
        context.board.gate(), found.values, [&](const StoredValue& value, std::string_view bytes) {
          const Result<tfevents::Tensor> tensor = DecodeValueTensor(bytes);
          if (!tensor || tensor->numbers.size() < kRows || tensor->numbers.size() % kRows != 0) {
            return;
          }
          WriteCurve(value, *tensor, json);
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
