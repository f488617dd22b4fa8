// SPDX-License-Identifier: Apache-2.0
// A run over time: what its page draws below each other and what happened when, steps a second, and
// what the monitor measured.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/series/rate.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "runs/find_logs.h"
#include "runs/run_record.h"
#include "server/curve_request.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/run_progress.h"
#include "server/run_routes.h"
#include "views/field_value.h"
#include "views/runs/hardware.h"
#include "views/runs/run_story.h"

namespace telltale {

namespace {

// Of the log on the run's page: as much is read for its page as for its own.
constexpr uint64_t kMostLogBytes = uint64_t{256} << 20;

std::optional<std::string> Digits(const std::optional<int64_t>& ns) {
  return ns ? std::optional(std::to_string(*ns)) : std::nullopt;
}

std::span<const ParamSpec> RawParams() {
  static const std::array<ParamSpec, 1> specs = {{{.name = "raw"}}};
  return specs;
}

void WriteLines(const std::vector<HardwareChart::Line>& lines, JsonWriter& json) {
  json.Key("lines");
  json.BeginArray();
  for (const HardwareChart::Line& line : lines) {
    json.BeginObject();
    json.Field("tag", RepairUtf8(line.tag));
    json.Field("label", RepairUtf8(line.label));
    json.EndObject();
  }
  json.EndArray();
}

std::optional<std::string> SignalText(std::optional<int> signal) {
  return signal ? std::optional(std::to_string(*signal)) : std::nullopt;
}

void WriteError(const RunRecord& record, JsonWriter& json) {
  json.Key("error");
  const std::optional<RunFailure> error = FailureOf(record);
  if (!error) return json.Null();
  json.BeginObject();
  json.Field("type", RepairUtf8(error->type));
  json.Field("message", RepairUtf8(error->message));
  json.Key("frames");
  json.BeginArray();
  for (const RunFailure::Frame& frame : error->frames) {
    json.BeginObject();
    json.Field("file", RepairUtf8(frame.file));
    json.Field("line", frame.line);
    json.Field("function", RepairUtf8(frame.function));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteRanks(const RunRecord& record, JsonWriter& json) {
  json.Key("ranks");
  json.BeginArray();
  for (const RankRecord& rank : record.ranks) {
    if (json.size() > kLastRowBegins) break;
    if (!rank.rank) continue;  // the program itself
    json.BeginObject();
    json.Field("rank", *rank.rank);
    json.Field("host", RepairUtf8(rank.host));
    json.Field("pid", rank.pid == 0 ? std::nullopt : std::optional(rank.pid));
    json.Field("status", rank.status ? std::optional(NameOf(*rank.status)) : std::nullopt);
    json.Field("exit_code", rank.exit_code);
    json.Field("signal", SignalText(rank.signal));
    json.EndObject();
  }
  json.EndArray();
}

void WriteStory(const RunStory& story, JsonWriter& json) {
  json.Field("sentence", RepairUtf8(story.sentence));
  json.Field("from_ns", Digits(story.from_ns));
  json.Field("to_ns", Digits(story.to_ns));
  json.Key("lanes");
  json.BeginArray();
  for (const StoryLane& lane : story.lanes) {
    json.BeginObject();
    json.Field("key", lane.key);
    json.Field("title", RepairUtf8(lane.title));
    json.Field("unit", lane.unit);
    json.Field("divisor", lane.divisor);
    json.Field("kind", lane.kind == StoryLane::Kind::kRate ? "rate" : "values");
    WriteLines(lane.lines, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("events");
  json.BeginArray();
  for (const StoryEvent& event : story.events) {
    json.BeginObject();
    json.Field("kind", NameOf(event.kind));
    json.Field("at_ns", std::to_string(event.at_ns));
    json.Field("text", RepairUtf8(event.text));
    json.EndObject();
  }
  json.EndArray();
}

HttpResponse Story(const RouteContext& context, const RouteRequest& request) {
  const bool raw = request.params.Has("raw");
  return WithRun(context, request.values[0], raw, [&](const ListedRun& run) {
    const Workspace& workspace = context.runs->workspace();
    const FileGate& gate = workspace.gate();
    const RunRecord record = RunRecordOf(run.info.path, gate);
    // The log that has times, the program's own first.
    std::optional<std::string> log;
    std::optional<int64_t> logged_until;
    const std::vector<FoundLog> logs = FindLogs(run.info.path, gate);
    if (!logs.empty()) {
      const std::string path = run.info.path + "/" + logs[0].path;
      const Result<LogState> state =
          context.runs->logs().Get(run.info.id, logs[0].path, path)->Update(gate, kMostLogBytes);
      if (state && state->timed_lines > 0) {
        log = logs[0].path;
        logged_until = state->last_time_ns;
      }
    }
    RunStory story;
    static_cast<void>(workspace.WithSeries(
        run.info.id,
        [&](const RunSeries& series) {
          story = StoryOf(run, record, series, logged_until, OutputStyle());
        },
        raw));
    JsonWriter json(false);
    json.BeginObject();
    WriteStory(story, json);
    json.Field("log", log ? std::optional(RepairUtf8(*log)) : std::nullopt);
    json.Field("logs", logs.size());
    WriteProgress(context, run, raw, json);
    json.Field("exit_code", record.exit_code);
    json.Field("signal", SignalText(record.signal));
    json.Key("command");
    json.BeginArray();
    for (const std::string& word : record.command) json.String(RepairUtf8(word));
    json.EndArray();
    WriteError(record, json);
    WriteRanks(record, json);
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

HttpResponse HardwareRoute(const RouteContext& context, const RouteRequest& request) {
  const bool raw = request.params.Has("raw");
  return WithRun(context, request.values[0], raw, [&](const ListedRun& run) {
    Hardware hardware;
    static_cast<void>(context.runs->workspace().WithSeries(
        run.info.id, [&](const RunSeries& series) { hardware = HardwareOf(series); }, raw));
    const TableSpec<HardwareRow> table = HardwareTable();
    JsonWriter json(false);
    json.BeginObject();
    json.Field("sentence", RepairUtf8(HardwareSentence(hardware, OutputStyle())));
    json.Field("from", hardware.from);
    json.Field("to", hardware.to);
    json.Field("interval_s", hardware.interval_s);
    json.Key("energy");
    json.BeginArray();
    for (const HardwareEnergy& one : hardware.energy) {
      json.BeginObject();
      json.Field("device", RepairUtf8(one.device));
      json.Field("watt_hours", one.watt_hours);
      json.Field("counted", one.counted);
      json.EndObject();
    }
    json.EndArray();
    json.Key("charts");
    json.BeginArray();
    for (const HardwareChart& chart : hardware.charts) {
      if (json.size() > kLastRowBegins / 2) break;
      json.BeginObject();
      json.Field("title", RepairUtf8(chart.title));
      json.Field("unit", chart.unit);
      json.Field("divisor", chart.divisor);
      WriteLines(chart.lines, json);
      json.EndObject();
    }
    json.EndArray();
    json.Field("total", hardware.rows.size());
    json.Key("rows");
    json.BeginArray();
    for (const HardwareRow& row : hardware.rows) {
      if (json.size() > kLastRowBegins) break;
      json.BeginObject();
      for (const ColumnSpec<HardwareRow>& column : table.columns) {
        json.Key(column.key);
        const FieldValue value = column.get(row);
        const auto* const text = std::get_if<std::string_view>(&value);
        text != nullptr ? json.String(RepairUtf8(*text)) : WriteJson(value, json);
      }
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

std::span<const ParamSpec> RateParams() {
  static const std::array<ParamSpec, 5> specs = {{
      {.name = "tag", .type = ParamType::kText, .required = true},
      {.name = "start", .type = ParamType::kInteger},
      {.name = "end", .type = ParamType::kInteger},
      {.name = "parts",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 4000,
       .clamps = true,
       .usual = "200"},
      {.name = "raw"},
  }};
  return specs;
}

HttpResponse Rate(const RouteContext& context, const RouteRequest& request) {
  const bool raw = request.params.Has("raw");
  return WithRun(context, request.values[0], raw, [&](const ListedRun& run) {
    std::vector<CurveLine> lines;
    static_cast<void>(context.runs->workspace().WithSeries(
        run.info.id,
        [&](const RunSeries& series) {
          const TagSeries* const tag = series.Find(request.params.Text("tag"), "scalars");
          if (tag == nullptr) return;
          const auto seconds = [&](std::string_view name) -> std::optional<double> {
            const std::optional<int64_t> ns = request.params.Integer(name);
            if (!ns) return std::nullopt;
            return static_cast<double>(*ns) / 1e9;
          };
          const JoinedScalars points = JoinedOf(*tag);
          const RateRequest rate = {seconds("start"), seconds("end"),
                                    static_cast<size_t>(request.params.Number("parts"))};
          Line made = MakeRate(points, rate);
          CurveLine line;
          line.total = made.total;
          line.reduced = made.reduced;
          line.points_of_tag = points.size();
          line.x = std::move(made.x);
          line.y = std::move(made.y);
          line.smoothed = std::move(made.smoothed);
          line.wall = std::move(made.wall);
          line.step = std::move(made.step);
          lines.push_back(std::move(line));
        },
        raw));
    return BinaryResponse(CurveBytes(lines));
  });
}

}  // namespace

std::span<const Route> RunStoryRoutes() {
  static constexpr std::array<Route, 3> kRoutes = {{
      {"GET", "/api/v1/runs/{id}/story", Story, RawParams},
      {"GET", "/api/v1/runs/{id}/hardware", HardwareRoute, RawParams},
      {"GET", "/api/v1/runs/{id}/rate", Rate, RateParams},
  }};
  return kRoutes;
}

}  // namespace telltale
