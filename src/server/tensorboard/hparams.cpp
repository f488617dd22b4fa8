// SPDX-License-Identifier: Apache-2.0
// Hyper-parameters: what an experiment varies, its sessions in groups, the values of one metric,
// and the table of all of it to download.
#include <array>

#include <fmt/format.h>

#include "base/json/value.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/session_groups.h"

namespace telltale {

namespace {

constexpr std::array<std::string_view, 4> kTypes = {"DATA_TYPE_UNSET", "DATA_TYPE_STRING",
                                                    "DATA_TYPE_BOOL", "DATA_TYPE_FLOAT64"};
constexpr std::array<std::string_view, 3> kDatasets = {"DATASET_UNKNOWN", "DATASET_TRAINING",
                                                       "DATASET_VALIDATION"};
constexpr std::array<std::string_view, 4> kStatuses = {"STATUS_UNKNOWN", "STATUS_SUCCESS",
                                                       "STATUS_FAILURE", "STATUS_RUNNING"};

std::string_view NameIn(const auto& names, int64_t number) {
  return names[number >= 0 && static_cast<size_t>(number) < names.size()
                   ? static_cast<size_t>(number)
                   : 0];
}

void WriteNumber(std::string_view key, double value, JsonWriter& json) {
  json.Key(key);
  json.Raw(JsonNumber(value));
}

void WriteValue(const HparamValue& value, JsonWriter& json) {
  if (const auto* number = std::get_if<double>(&value)) {
    json.Raw(JsonNumber(*number));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    json.String(*text);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    json.Bool(*flag);
  } else {
    json.Null();
  }
}

void WriteMetricName(const HparamMetricName& name, JsonWriter& json) {
  json.Key("name");
  json.BeginObject();
  json.Field("tag", name.tag);
  json.Field("group", name.group);
  json.EndObject();
}

void WriteMetricValues(const std::vector<HparamMetricValue>& values, JsonWriter& json) {
  json.Key("metricValues");
  json.BeginArray();
  for (const HparamMetricValue& metric : values) {
    json.BeginObject();
    WriteMetricName(metric.name, json);
    WriteNumber("value", metric.value, json);
    json.Field("trainingStep", metric.step);
    WriteNumber("wallTimeSecs", metric.wall_time, json);
    json.EndObject();
  }
  json.EndArray();
}

// What was posted, or the parameter `request`.
Result<JsonValue> ReadRequest(const DataRequest& request) {
  const std::string_view text =
      request.posted() ? request.http().body : request.Argument("request").value_or("");
  Result<JsonValue> json = ParseJson(text);
  if (!json || !json->IsObject()) {
    return Fail(ErrorCode::kUsage, "Expected a JSON-formatted request");
  }
  return json;
}

void WriteInfo(const HparamInfo& info, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", info.name);
  json.Field("displayName", info.display_name);
  json.Field("description", info.description);
  json.Field("type", kTypes[static_cast<size_t>(info.type)]);
  json.Field("differs", info.differs);
  if (info.discrete) {
    json.Key("domainDiscrete");
    json.BeginArray();
    for (const HparamValue& value : *info.discrete) WriteValue(value, json);
    json.EndArray();
  }
  if (info.interval) {
    json.Key("domainInterval");
    json.BeginObject();
    WriteNumber("minValue", info.interval->first, json);
    WriteNumber("maxValue", info.interval->second, json);
    json.EndObject();
  }
  json.EndObject();
}

HttpResponse AnswerExperiment(const DataContext& context, const DataRequest& request) {
  const Result<JsonValue> asked = ReadRequest(request);
  if (!asked) return PlainResponse(400, asked.error().message);
  HparamExperiment experiment = ReadHparamRuns(context.board, context.options.purge).experiment;
  const JsonValue& with_metrics = Member(*asked, "includeMetrics", "include_metrics");
  if (!with_metrics.IsNull() && !with_metrics.AsBool()) experiment.metrics.clear();
  const int64_t limit = Member(*asked, "hparamsLimit", "hparams_limit").AsInt();
  if (limit > 0 && static_cast<size_t>(limit) < experiment.hparams.size()) {
    experiment.hparams.resize(static_cast<size_t>(limit));
  }
  JsonWriter json(false);
  json.BeginObject();
  json.Field("name", experiment.name);
  json.Field("description", experiment.description);
  json.Field("user", experiment.user);
  WriteNumber("timeCreatedSecs", experiment.time_created_secs, json);
  json.Key("hparamInfos");
  json.BeginArray();
  for (const HparamInfo& info : experiment.hparams) WriteInfo(info, json);
  json.EndArray();
  json.Key("metricInfos");
  json.BeginArray();
  for (const HparamMetric& metric : experiment.metrics) {
    json.BeginObject();
    WriteMetricName(metric.name, json);
    json.Field("displayName", metric.display_name);
    json.Field("description", metric.description);
    json.Field("datasetType", NameIn(kDatasets, metric.dataset_type));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return JsonResponse(json.Take());
}

void WriteSession(const HparamSession& session, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", session.name);
  WriteNumber("startTimeSecs", session.start.start_time_secs, json);
  WriteNumber("endTimeSecs", session.end.end_time_secs, json);
  json.Field("status", NameIn(kStatuses, session.end.status));
  json.Field("modelUri", session.start.model_uri);
  WriteMetricValues(session.metrics, json);
  json.Field("monitorUrl", session.start.monitor_url);
  json.EndObject();
}

void WriteGroup(const HparamSessionGroup& group, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", group.name);
  json.Key("hparams");
  json.BeginObject();
  for (const auto& [name, value] : group.hparams) {
    json.Key(name);
    WriteValue(value, json);
  }
  json.EndObject();
  WriteMetricValues(group.metrics, json);
  json.Key("sessions");
  json.BeginArray();
  for (const HparamSession& session : group.sessions) WriteSession(session, json);
  json.EndArray();
  json.Field("monitorUrl", group.monitor_url);
  json.EndObject();
}

HttpResponse AnswerGroups(const DataContext& context, const DataRequest& request) {
  const Result<JsonValue> asked = ReadRequest(request);
  if (!asked) return PlainResponse(400, asked.error().message);
  const Result<std::vector<HparamSessionGroup>> groups =
      SessionGroups(ReadHparamRuns(context.board, context.options.purge), *asked);
  if (!groups) return PlainResponse(400, groups.error().message);
  const auto size = static_cast<int64_t>(groups->size());
  const int64_t begin =
      std::clamp<int64_t>(Member(*asked, "startIndex", "start_index").AsInt(), 0, size);
  const int64_t count =
      std::clamp<int64_t>(Member(*asked, "sliceSize", "slice_size").AsInt(), 0, size - begin);
  JsonWriter json(false);
  json.BeginObject();
  json.Key("sessionGroups");
  json.BeginArray();
  for (int64_t i = begin; i < begin + count; ++i) {
    WriteGroup((*groups)[static_cast<size_t>(i)], json);
  }
  json.EndArray();
  json.Field("totalSize", size);
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse AnswerMetricEvals(const DataContext& context, const DataRequest& request) {
  const Result<JsonValue> asked = ReadRequest(request);
  if (!asked) return PlainResponse(400, asked.error().message);
  const JsonValue& metric = Member(*asked, "metricName", "metric_name");
  const std::string& session = Member(*asked, "sessionName", "session_name").AsString();
  const std::string& group = metric["group"].AsString();
  const std::string run = group.empty() ? session : fmt::format("{}/{}", session, group);
  const std::string& tag = metric["tag"].AsString();
  std::optional<std::string> body;
  context.board.WithRun(run, [&](const BoardRun& found) {
    const std::optional<BoardSeries> series = found.Find(tag, "scalars");
    if (!series) return;
    body = "[";
    series->ForEachPoint(context.options.purge, [&](const ScalarPoint& point) {
      *body += body->size() > 1 ? ",[" : "[";
      *body += fmt::format("{},{},{}]", JsonNumber(point.wall_time), point.step,
                           JsonNumber(point.value));
    });
    *body += ']';
  });
  if (!body) {
    return NotFound(
        fmt::format("No scalar data for run={}, tag={}", PythonQuoted(run), PythonQuoted(tag)));
  }
  return JsonResponse(std::move(*body));
}

// A cell of the table that is downloaded; monostate is none.
std::string CsvCell(const HparamValue& value) {
  std::string text;
  if (const auto* number = std::get_if<double>(&value)) {
    text = PythonFloat(*number);
  } else if (const auto* words = std::get_if<std::string>(&value)) {
    text = *words;
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    text = *flag ? "True" : "False";
  }
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string LatexCell(const HparamValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (std::isnan(*number)) return "$\\mathrm{NaN}$";
    if (std::isinf(*number)) return *number < 0 ? "$-\\infty$" : "$+\\infty$";
    const std::string text = fmt::format("{:.3g}", *number);
    const size_t mark = text.find('e');
    if (mark == std::string::npos) return fmt::format("${}$", text);
    const int exponent = std::stoi(text.substr(mark + 1));
    return fmt::format("${}\\cdot 10^{{{}}}$", text.substr(0, mark), exponent);
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "$1$" : "$0$";
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return "-";
  std::string out;
  for (const char c : *text) {
    if (c == '_' || c == '%') out += '\\';
    out += c;
  }
  return out;
}

using Row = std::vector<HparamValue>;

std::string JoinedRow(const Row& row, std::string_view between,
                      std::string (*cell)(const HparamValue&)) {
  std::string out;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += between;
    out += cell(row[i]);
  }
  return out;
}

HttpResponse TableAnswer(const std::vector<Row>& rows, std::string_view format) {
  if (format == "csv") {
    std::string out;
    for (const Row& row : rows) out += JoinedRow(row, ",", CsvCell) + "\r\n";
    return BodyResponse(std::move(out), "text/csv; charset=utf-8");
  }
  if (format == "latex") {
    std::string out = fmt::format("\\begin{{table}}[tbp]\n\\begin{{tabular}}{{{}}}\n",
                                  std::string(rows[0].size(), 'l'));
    for (size_t i = 0; i < rows.size(); ++i) {
      out += JoinedRow(rows[i], " & ", LatexCell) + (i == 0 ? " \\\\ \\hline\n" : " \\\\\n");
    }
    return BodyResponse(out + "\\hline\n\\end{tabular}\n\\end{table}\n", "application/x-latex");
  }
  JsonWriter json(false);
  json.BeginObject();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i == 0) json.Key("header");
    if (i == 1) json.Key("rows"), json.BeginArray();
    json.BeginArray();
    for (const HparamValue& value : rows[i]) WriteValue(value, json);
    json.EndArray();
  }
  if (rows.size() == 1) json.Key("rows"), json.BeginArray();
  json.EndArray();
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse AnswerDownload(const DataContext& context, const DataRequest& request) {
  const Result<JsonValue> asked = ReadRequest(request);
  if (!asked) return PlainResponse(400, asked.error().message);
  const std::string_view format = request.Argument("format").value_or("");
  if (format != "csv" && format != "json" && format != "latex") {
    return PlainResponse(400, fmt::format("Invalid responses format: {}", format));
  }
  const Result<JsonValue> visible = ParseJson(request.Argument("columnsVisibility").value_or(""));
  if (!visible || !visible->IsArray()) {
    return PlainResponse(400, "columnsVisibility takes a list of true and false");
  }
  const HparamRuns runs = ReadHparamRuns(context.board, context.options.purge);
  const Result<std::vector<HparamSessionGroup>> groups = SessionGroups(runs, *asked);
  if (!groups) return PlainResponse(400, groups.error().message);
  const auto shown = [&](Row row) {
    Row kept;
    for (size_t i = 0; i < row.size() && i < visible->elements().size(); ++i) {
      if (visible->elements()[i].AsBool()) kept.push_back(std::move(row[i]));
    }
    return kept;
  };
  Row head;
  for (const HparamInfo& info : runs.experiment.hparams) {
    head.emplace_back(info.display_name.empty() ? info.name : info.display_name);
  }
  for (const HparamMetric& metric : runs.experiment.metrics) {
    head.emplace_back(metric.display_name.empty() ? metric.name.tag : metric.display_name);
  }
  std::vector<Row> rows = {shown(std::move(head))};
  for (const HparamSessionGroup& group : *groups) {
    Row row;
    for (const HparamInfo& info : runs.experiment.hparams) {
      const auto found =
          std::ranges::find(group.hparams, info.name, &std::pair<std::string, HparamValue>::first);
      row.push_back(found == group.hparams.end() ? HparamValue("") : found->second);
    }
    for (const HparamMetric& metric : runs.experiment.metrics) {
      const auto found = std::ranges::find(group.metrics, metric.name, &HparamMetricValue::name);
      HparamValue& cell = row.emplace_back();
      if (found != group.metrics.end()) cell = found->value;
    }
    rows.push_back(shown(std::move(row)));
  }
  return TableAnswer(rows, format);
}

}  // namespace

std::span<const DataRoute> HparamDataRoutes() {
  static constexpr std::array<DataRoute, 4> kRoutes = {{
      {"plugin/hparams/experiment", AnswerExperiment, DataMethod::kBoth},
      {"plugin/hparams/session_groups", AnswerGroups, DataMethod::kBoth},
      {"plugin/hparams/metric_evals", AnswerMetricEvals, DataMethod::kBoth, true},
      {"plugin/hparams/download_data", AnswerDownload, DataMethod::kBoth},
  }};
  return kRoutes;
}

}  // namespace telltale
