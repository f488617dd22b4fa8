// SPDX-License-Identifier: Apache-2.0
// The runs: a part of the list, its columns, one run whole, and what people say about runs.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/json/value.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "io/file_gate.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/run_json.h"
#include "server/run_progress.h"
#include "server/run_routes.h"
#include "server/run_select.h"
#include "views/runs/sentence.h"

namespace telltale {

namespace {

constexpr size_t kMostExamples = 12;
constexpr size_t kMostEdited = 10'000;

HttpResponse WrongSelection(const Error& error) {
  JsonWriter json(false);
  json.BeginObject();
  json.Key("error");
  json.BeginObject();
  json.Field("code", "wrong_where");
  json.Field("message", RepairUtf8(error.message));
  json.Field("offset", error.offset);
  json.EndObject();
  json.EndObject();
  return JsonResponse(json.Take(), 400);
}

std::span<const ParamSpec> ListParams() {
  static const std::vector<ParamSpec> specs = {
      {.name = "where", .type = ParamType::kText},
      {.name = "sort", .type = ParamType::kText},
      {.name = "group", .type = ParamType::kText},
      {.name = "limit",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 10'000,
       .clamps = true,
       .usual = "200"},
      {.name = "offset", .type = ParamType::kInteger, .least = 0, .usual = "0"},
      {.name = "metrics", .type = ParamType::kText},
      {.name = "raw"},
      {.name = "deleted"},
  };
  return specs;
}

void WriteProfiles(const RouteContext& context, const RunInfo& run, JsonWriter& json) {
  json.Key("profiles");
  json.BeginArray();
  std::set<std::string> told;  // several files may be one profile
  for (const std::string& path : run.profiles) {
    const std::optional<RunDesk::ProfileName> profile =
        context.runs->ProfileOf(context.catalogue, path);
    if (!profile || !told.insert(profile->id).second) continue;
    json.BeginObject();
    json.Field("id", profile->id);
    json.Field("name", RepairUtf8(profile->name));
    json.EndObject();
  }
  json.EndArray();
}

// Of the metrics that were asked for, those that the run has.
void WriteMetrics(const RouteContext& context, const ListedRun& run, bool raw,
                  const std::vector<std::string>& metrics, JsonWriter& json) {
  json.Key("metrics");
  json.BeginObject();
  std::map<std::string, Spark> sparks;
  if (!metrics.empty()) {
    static_cast<void>(context.runs->workspace().WithSeries(
        run.info.id,
        [&](const RunSeries& series) {
          for (const std::string& metric : metrics) {
            const TagSeries* const tag = series.Find(metric, "scalars");
            if (tag != nullptr) sparks[metric] = SparkOf(*tag);
          }
        },
        raw));
  }
  for (const std::string& name : metrics) {
    const MetricSummary* const metric = run.Metric(name);
    if (metric == nullptr) continue;
    const auto spark = sparks.find(name);
    json.Key(RepairUtf8(name));
    WriteMetric(*metric, spark == sparks.end() ? nullptr : &spark->second, json);
  }
  json.EndObject();
}

// Where runs stand in the list of all: their usual colours follow from that, whatever is asked for.
std::unordered_map<std::string_view, size_t> PlacesOf(const RunList& list) {
  std::unordered_map<std::string_view, size_t> places;
  places.reserve(list.runs.size());
  for (const std::shared_ptr<const ListedRun>& run : list.runs) {
    places.emplace(run->info.id, places.size());
  }
  return places;
}

HttpResponse ListRuns(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const bool raw = request.params.Has("raw");
  const std::shared_ptr<const RunList> list = context.runs->workspace().runs(raw);
  const Result<SelectedRuns> selected =
      SelectRuns(*list, request.params.Text("where"), request.params.Text("sort"),
                 request.params.Has("deleted"), request.params.Text("group"));
  if (!selected) return WrongSelection(selected.error());
  const std::vector<std::string> metrics = Listed(request.params.Text("metrics"));
  const std::unordered_map<std::string_view, size_t> places = PlacesOf(*list);
  const auto offset = static_cast<size_t>(request.params.Number("offset"));
  const auto is_running = [](const std::shared_ptr<const ListedRun>& run) {
    return run->info.status == RunStatus::kRunning;
  };
  const auto running = std::ranges::count_if(list->runs, is_running);
  const auto all =
      std::ranges::count_if(list->runs, [](const auto& run) { return !run->info.deleted; });
  std::vector<RunRow> shown;
  for (const auto& run : *selected) shown.push_back({run});
  const bool deleted = request.params.Has("deleted");
  const std::string sentence = RunsSentence(
      shown, static_cast<size_t>(deleted ? std::ssize(list->runs) - all : all), OutputStyle());
  return JsonResponse(WriteWithin(request.params.Number("limit"), [&](int64_t rows) {
    JsonWriter json(false);
    json.BeginObject();
    json.Field("sentence", RepairUtf8(sentence));
    json.Field("revision", list->revision);
    json.Field("searching", context.runs->searching());
    json.Field("cut", context.runs->workspace().cut());
    json.Field("total", selected->size());
    json.Field("all", all);
    json.Field("running", running);
    json.Field("offset", offset);
    json.Key("runs");
    json.BeginArray();
    const size_t end = std::min(selected->size(), offset + static_cast<size_t>(rows));
    for (size_t i = offset; i < end; ++i) {
      const ListedRun& run = *(*selected)[i];
      json.BeginObject();
      json.Field("order", places.find(run.info.id)->second);
      WriteRunFields(run, json);
      WriteMetrics(context, run, raw, metrics, json);
      WriteProfiles(context, run.info, json);
      WriteProgress(context, run, raw, json);
      json.Field("diagnostics", run.info.diagnostics.entries().size());
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    return json.Take();
  }));
}

// A setting over all runs.
struct ConfigColumn {
  std::set<ConfigValue> values;
  size_t runs = 0;
  bool numeric = true;
};

void WriteConfigColumns(const RunList& list, JsonWriter& json) {
  std::map<std::string, ConfigColumn> columns;
  size_t runs = 0;
  for (const std::shared_ptr<const ListedRun>& run : list.runs) {
    if (run->info.deleted) continue;
    ++runs;
    for (const auto& [name, value] : run->info.config) {
      ConfigColumn& column = columns[name];
      ++column.runs;
      column.values.insert(value);
      column.numeric = column.numeric && (std::holds_alternative<int64_t>(value) ||
                                          std::holds_alternative<double>(value));
    }
  }
  // Those that differ first; one that some runs lack differs, too.
  std::vector<std::pair<std::string, const ConfigColumn*>> order;
  order.reserve(columns.size());
  for (const auto& [name, column] : columns) order.emplace_back(name, &column);
  const auto differs = [&](const ConfigColumn& column) {
    return column.values.size() > 1 || column.runs < runs;
  };
  std::ranges::stable_partition(order, [&](const auto& one) { return differs(*one.second); });
  json.Key("config");
  json.BeginArray();
  for (const auto& [name, column] : order) {
    if (json.size() > kLastRowBegins) break;
    json.BeginObject();
    json.Field("name", RepairUtf8(name));
    json.Field("distinct", column->values.size());
    json.Field("runs", column->runs);
    json.Field("numeric", column->numeric);
    json.Key("examples");
    json.BeginArray();
    size_t told = 0;
    for (const ConfigValue& value : column->values) {
      if (told++ == kMostExamples) break;
      WriteConfigValue(value, json);
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.Field("config_total", columns.size());
}

void WriteMetricColumns(const RunList& list, JsonWriter& json) {
  struct Column {
    size_t runs = 0;
    uint64_t points = 0;
  };
  std::map<std::string, Column> columns;
  for (const std::shared_ptr<const ListedRun>& run : list.runs) {
    if (run->info.deleted) continue;
    for (const MetricSummary& metric : run->metrics) {
      Column& column = columns[metric.tag];
      ++column.runs;
      column.points += metric.points;
    }
  }
  json.Key("metrics");
  json.BeginArray();
  for (const auto& [name, column] : columns) {
    if (json.size() > kLastRowBegins) break;
    json.BeginObject();
    json.Field("name", RepairUtf8(name));
    json.Field("runs", column.runs);
    json.Field("points", column.points);
    json.EndObject();
  }
  json.EndArray();
  json.Field("metrics_total", columns.size());
}

void WriteWords(std::string_view key, const std::set<std::string>& words, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& word : words) json.String(RepairUtf8(word));
  json.EndArray();
}

std::string ColumnsJson(const RunList& list) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("revision", list.revision);
  WriteConfigColumns(list, json);
  WriteMetricColumns(list, json);
  std::set<std::string> experiments;
  std::set<std::string> groups;
  std::set<std::string> tags;
  std::set<std::string> statuses;
  for (const std::shared_ptr<const ListedRun>& run : list.runs) {
    const RunInfo& info = run->info;
    if (info.experiment) experiments.insert(*info.experiment);
    if (info.group) groups.insert(*info.group);
    tags.insert(info.tags.begin(), info.tags.end());
    if (info.status) statuses.emplace(NameOf(*info.status));
  }
  WriteWords("experiments", experiments, json);
  WriteWords("groups", groups, json);
  WriteWords("tags", tags, json);
  WriteWords("statuses", statuses, json);
  json.EndObject();
  return json.Take();
}

std::span<const ParamSpec> RawParams() {
  static const std::array<ParamSpec, 1> specs = {{{.name = "raw"}}};
  return specs;
}

std::span<const ParamSpec> ColumnParams() {
  static const std::array<ParamSpec, 2> specs = {
      {{.name = "where", .type = ParamType::kText}, {.name = "raw"}}};
  return specs;
}

HttpResponse Columns(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const bool raw = request.params.Has("raw");
  const std::shared_ptr<const RunList> list = context.runs->workspace().runs(raw);
  if (request.params.Has("where")) {
    Result<SelectedRuns> selected = SelectRuns(*list, request.params.Text("where"), "", false);
    if (!selected) return ErrorResponse(selected.error());
    RunList part;
    part.revision = list->revision;
    part.SetRuns(std::move(*selected));
    return JsonResponse(ColumnsJson(part));
  }
  return JsonResponse(context.runs->Kept(raw ? "columns raw" : "columns", list->revision,
                                         [&] { return ColumnsJson(*list); }));
}

void WriteDiagnosticsOf(const Diagnostics& diagnostics, JsonWriter& json) {
  json.Key("diagnostics");
  json.BeginArray();
  for (const Diagnostic& entry : diagnostics.entries()) {
    const DiagnosticInfo& info = InfoOf(entry.kind);
    json.BeginObject();
    json.Field("severity", NameOf(info.severity));
    json.Field("kind", info.name);
    json.Field("count", entry.count);
    json.Field("first_offset", entry.first_offset);
    json.Field("message", RepairUtf8(entry.detail.empty() ? info.message : entry.detail));
    json.EndObject();
  }
  json.EndArray();
}

HttpResponse OneRun(const RouteContext& context, const RouteRequest& request) {
  const bool raw = request.params.Has("raw");
  return WithRun(context, request.values[0], raw, [&](const ListedRun& run) {
    JsonWriter json(false);
    json.BeginObject();
    const std::shared_ptr<const RunList> list = context.runs->workspace().runs(raw);
    const std::unordered_map<std::string_view, size_t> places = PlacesOf(*list);
    if (const auto place = places.find(run.info.id); place != places.end()) {
      json.Field("order", place->second);
    }
    WriteRunFields(run, json);
    json.Field("revision", run.revision);
    json.Key("metrics");
    json.BeginObject();
    for (const MetricSummary& metric : run.metrics) {
      if (json.size() > kLastRowBegins) break;
      json.Key(RepairUtf8(metric.tag));
      WriteMetric(metric, nullptr, json);
    }
    json.EndObject();
    json.Field("metrics_total", run.metrics.size());
    WriteProfiles(context, run.info, json);
    WriteProgress(context, run, raw, json);
    json.Key("event_files");
    json.BeginArray();
    for (const std::string& path : run.info.files) {
      if (json.size() > kLastRowBegins) break;
      const std::optional<FileStamp> stamp = StampOf(path);
      json.BeginObject();
      json.Field("path", RepairUtf8(path));
      json.Field("bytes", stamp ? std::optional(stamp->bytes) : std::nullopt);
      json.EndObject();
    }
    json.EndArray();
    json.Field("event_files_total", run.info.files.size());
    WriteDiagnosticsOf(run.info.diagnostics, json);
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

std::optional<std::vector<std::string>> TextsOf(const JsonValue& json) {
  if (!json.IsArray()) return std::nullopt;
  std::vector<std::string> texts;
  for (const JsonValue& one : json.elements()) {
    if (!one.IsString()) return std::nullopt;
    texts.push_back(one.AsString());
  }
  return texts;
}

// #rgb or #rrggbb: it is put into a style.
bool IsColor(std::string_view text) {
  return (text.size() == 4 || text.size() == 7) && text[0] == '#' &&
         text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

Result<RunEdit> ReadEdit(const JsonValue& set) {
  const auto wrong = [](std::string message) {
    return Fail(ErrorCode::kUsage, std::move(message));
  };
  RunEdit edit;
  for (const auto& [key, value] : set.members()) {
    if (key == "name" || key == "note" || key == "color") {
      if (!value.IsString() && !value.IsNull()) {
        return wrong(fmt::format("{} takes a text, or null for none", key));
      }
      if (key == "color" && !value.AsString().empty() && !IsColor(value.AsString())) {
        return wrong("color takes #rrggbb, or null for the palette's");
      }
      (key == "name" ? edit.name : key == "note" ? edit.note : edit.color) = value.AsString();
    } else if (key == "tags" || key == "add_tags" || key == "remove_tags") {
      std::optional<std::vector<std::string>> texts = TextsOf(value);
      if (!texts) return wrong(fmt::format("{} takes a list of texts", key));
      if (key == "tags") edit.tags = std::move(*texts);
      if (key == "add_tags") edit.add_tags = std::move(*texts);
      if (key == "remove_tags") edit.remove_tags = std::move(*texts);
    } else if (key == "pinned" || key == "hidden" || key == "deleted") {
      if (value.kind() != JsonValue::Kind::kBool) {
        return wrong(fmt::format("{} takes true or false", key));
      }
      (key == "pinned"   ? edit.pinned
       : key == "hidden" ? edit.hidden
                         : edit.deleted) = value.AsBool();
    } else {
      return wrong(
          fmt::format("there is no member \"{}\" in set; there are: name, note, color, "
                      "tags, add_tags, remove_tags, pinned, hidden, deleted",
                      key));
    }
  }
  return edit;
}

HttpResponse EditRuns(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  if (!request.http.of_owner) {
    return ErrorResponse(403, "not_owner",
                         "only whoever runs the server, on its own machine, may change what is "
                         "said about runs");
  }
  const Result<JsonValue> body = ParseJson(request.http.body);
  const std::optional<std::vector<std::string>> ids = body ? TextsOf((*body)["ids"]) : std::nullopt;
  if (!ids || !(*body)["set"].IsObject() || ids->size() > kMostEdited) {
    return ErrorResponse(
        400, "wrong_request",
        R"(expected a body such as {"ids": ["k3f9a2c0"], "set": {"pinned": true}})");
  }
  const Result<RunEdit> edit = ReadEdit((*body)["set"]);
  if (!edit) return ErrorResponse(edit.error());
  const Result<size_t> changed = context.runs->workspace().Edit(*ids, *edit);
  if (!changed) {
    return changed.error().code == ErrorCode::kUnwritable
               ? ErrorResponse(507, "not_written", changed.error().message)
               : ErrorResponse(changed.error());
  }
  JsonWriter json(false);
  json.BeginObject();
  json.Field("changed", *changed);
  json.Field("revision", context.runs->workspace().revision());
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::span<const Route> RunRoutes() {
  static constexpr std::array<Route, 4> kRoutes = {{
      {"GET", "/api/v1/runs", ListRuns, ListParams},
      {"GET", "/api/v1/runs/columns", Columns, ColumnParams},
      {"POST", "/api/v1/runs/edit", EditRuns},
      {"GET", "/api/v1/runs/{id}", OneRun, RawParams},
  }};
  return kRoutes;
}

}  // namespace telltale
