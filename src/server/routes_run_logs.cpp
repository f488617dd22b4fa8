// SPDX-License-Identifier: Apache-2.0
// The logs in a run's folder: which there are, lines by number or by time, what is found in them,
// and how many were written when.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "runs/find_logs.h"
#include "runs/log_file.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/run_routes.h"
#include "views/runs/log_sentence.h"

namespace telltale {

namespace {

// Looked at before an answer; a longer log is read on with the next question.
constexpr uint64_t kMostBytes = uint64_t{256} << 20;

// Work for somebody who has left ends.
class Asker final : public CancelToken {
 public:
  explicit Asker(const HttpRequest& request) : request_(request) {}
  [[nodiscard]] bool canceled() const override { return request_.Abandoned(); }

 private:
  const HttpRequest& request_;
};

std::optional<std::string> Digits(const std::optional<int64_t>& ns) {
  return ns ? std::optional(std::to_string(*ns)) : std::nullopt;
}

HttpResponse Logs(const RouteContext& context, const RouteRequest& request) {
  return WithRun(context, request.values[0], request.params.Has("raw"), [&](const ListedRun& run) {
    const std::vector<FoundLog> logs = FindLogs(run.info.path, context.runs->workspace().gate());
    JsonWriter json(false);
    json.BeginObject();
    json.Field("total", logs.size());
    json.Key("logs");
    json.BeginArray();
    for (const FoundLog& log : logs) {
      if (json.size() > kLastRowBegins) break;
      json.BeginObject();
      json.Field("path", RepairUtf8(log.path));
      json.Field("bytes", log.stamp.bytes);
      json.Field("modified_ns", std::to_string(log.stamp.modified_ns));
      json.Field("rank", log.rank);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

std::span<const ParamSpec> RawParams() {
  static const std::array<ParamSpec, 1> specs = {{{.name = "raw"}}};
  return specs;
}

// The log that `path` names, brought up to date.
struct OpenLog {
  std::shared_ptr<LogFile> file;
  LogState state;
  const FileGate& gate;
};

HttpResponse WithLog(const RouteContext& context, const RouteRequest& request,
                     const std::function<HttpResponse(const OpenLog&)>& answer) {
  return WithRun(context, request.values[0], request.params.Has("raw"), [&](const ListedRun& run) {
    const std::string_view name = request.params.Text("path");
    const std::optional<std::string> path = PathBelow(run.info.path, name);
    if (!path) return NoSuchFile();
    const FileGate& gate = context.runs->workspace().gate();
    const Asker asker(request.http);
    const CancelScope scope(&asker);
    const std::shared_ptr<LogFile> file = context.runs->logs().Get(run.info.id, name, *path);
    const Result<LogState> state = file->Update(gate, kMostBytes);
    if (!state) return NoSuchFile();
    return answer({file, *state, gate});
  });
}

void WriteState(const OpenLog& log, JsonWriter& json) {
  const LogState& state = log.state;
  json.Field("bytes", state.bytes);
  json.Field("indexed_bytes", state.indexed);
  json.Field("generation", state.generation);
  json.Field("lines", state.lines);
  json.Field("open", state.open);
  json.Field("timed_lines", state.timed_lines);
  json.Field("warnings", state.warnings);
  json.Field("errors", state.errors);
  json.Field("first_ns", Digits(state.first_time_ns));
  json.Field("last_ns", Digits(state.last_time_ns));
}

// Times that a request gives: ns since 1970.
std::optional<int64_t> TimeIn(const RouteRequest& request, std::string_view name) {
  return request.params.Integer(name);
}

std::span<const ParamSpec> LineParams() {
  static const std::array<ParamSpec, 8> specs = {{
      {.name = "path", .type = ParamType::kText, .required = true},
      {.name = "from", .type = ParamType::kInteger, .least = 1},
      {.name = "at", .type = ParamType::kInteger},
      {.name = "limit",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 2000,
       .clamps = true,
       .usual = "200"},
      {.name = "width",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 500'000,
       .clamps = true,
       .usual = "2000"},
      {.name = "q", .type = ParamType::kText},
      {.name = "regex"},
      {.name = "raw"},
  }};
  return specs;
}

void WriteLine(const ShownLine& line, JsonWriter& json) {
  json.BeginObject();
  json.Field("line", line.number + 1);
  json.Field("time_ns", Digits(line.time_ns));
  if (line.level != LogLevel::kPlain) json.Field("level", NameOf(line.level));
  json.Field("text", RepairUtf8(line.text));
  if (line.bytes > line.text.size()) json.Field("bytes", line.bytes);
  if (line.matches) json.Field("matches", true);
  json.EndObject();
}

HttpResponse Lines(const RouteContext& context, const RouteRequest& request) {
  std::optional<LogQuery> query;
  if (request.params.Has("q") && !request.params.Text("q").empty()) {
    Result<LogQuery> made = LogQuery::Make(request.params.Text("q"), request.params.Has("regex"));
    if (!made) return ErrorResponse(made.error());
    query.emplace(std::move(*made));
  }
  return WithLog(context, request, [&](const OpenLog& log) {
    const auto count = static_cast<size_t>(request.params.Number("limit"));
    const auto width = static_cast<size_t>(request.params.Number("width"));
    // Without a place, the end.
    uint64_t first = log.state.lines - std::min<uint64_t>(log.state.lines, count);
    std::optional<uint64_t> found;
    if (const std::optional<int64_t> at = TimeIn(request, "at")) {
      const Result<std::optional<uint64_t>> line = log.file->LineAt(log.gate, *at);
      if (!line) return ErrorResponse(line.error());
      found = *line;
      // A third of what is shown is what led there.
      if (found) first = *found - std::min<uint64_t>(*found, count / 3);
    } else if (const std::optional<int64_t> from = request.params.Integer("from")) {
      first = static_cast<uint64_t>(*from) - 1;
    }
    const Result<std::vector<ShownLine>> lines =
        log.file->Lines(log.gate, first, count, width, query ? &*query : nullptr);
    if (!lines) return ErrorResponse(lines.error());
    JsonWriter json(false);
    json.BeginObject();
    json.Field("path", RepairUtf8(request.params.Text("path")));
    json.Field("sentence", LogSentence(log.state));
    WriteState(log, json);
    json.Field("at_line", found ? std::optional(*found + 1) : std::nullopt);
    json.Key("rows");
    json.BeginArray();
    for (const ShownLine& line : *lines) {
      if (json.size() > kLastRowBegins) break;
      WriteLine(line, json);
    }
    json.EndArray();
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

std::span<const ParamSpec> SearchParams() {
  static const std::array<ParamSpec, 6> specs = {{
      {.name = "path", .type = ParamType::kText, .required = true},
      {.name = "q", .type = ParamType::kText, .required = true},
      {.name = "regex"},
      {.name = "from", .type = ParamType::kInteger, .least = 1, .usual = "1"},
      {.name = "before"},
      {.name = "raw"},
  }};
  return specs;
}

HttpResponse Search(const RouteContext& context, const RouteRequest& request) {
  const Result<LogQuery> query =
      LogQuery::Make(request.params.Text("q"), request.params.Has("regex"));
  if (!query) return ErrorResponse(query.error());
  return WithLog(context, request, [&](const OpenLog& log) {
    const auto from = static_cast<uint64_t>(request.params.Number("from")) - 1;
    const Result<LogMatches> found =
        log.file->Find(log.gate, *query, from, request.params.Has("before"));
    if (!found) return ErrorResponse(found.error());
    if (found->gave_up) {
      return ErrorResponse(400, "too_much_work",
                           "this pattern is too much work on this log: make it simpler, or look "
                           "for a plain text");
    }
    JsonWriter json(false);
    json.BeginObject();
    json.Field("total", found->total);
    json.Field("cut", found->cut);
    json.Field("line", found->line ? std::optional(*found->line + 1) : std::nullopt);
    json.Field("place", found->place ? std::optional(*found->place + 1) : std::nullopt);
    WriteState(log, json);
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

std::span<const ParamSpec> DensityParams() {
  static const std::array<ParamSpec, 5> specs = {{
      {.name = "path", .type = ParamType::kText, .required = true},
      {.name = "start", .type = ParamType::kInteger, .required = true},
      {.name = "end", .type = ParamType::kInteger, .required = true},
      {.name = "width",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 4000,
       .clamps = true,
       .usual = "300"},
      {.name = "raw"},
  }};
  return specs;
}

void WriteCounts(std::string_view key, const std::vector<uint32_t>& counts, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const uint32_t count : counts) json.Int(count);
  json.EndArray();
}

HttpResponse Density(const RouteContext& context, const RouteRequest& request) {
  const int64_t from = request.params.Number("start");
  const int64_t to = request.params.Number("end");
  if (to <= from) return ErrorResponse(400, "wrong_request", "end must be later than start");
  return WithLog(context, request, [&](const OpenLog& log) {
    const Result<LogDensity> density =
        log.file->Density(log.gate, from, to, static_cast<size_t>(request.params.Number("width")));
    if (!density) return ErrorResponse(density.error());
    JsonWriter json(false);
    json.BeginObject();
    WriteState(log, json);
    json.Field("exact", density->exact);
    WriteCounts("lines_of", density->lines, json);
    WriteCounts("warnings_of", density->warnings, json);
    WriteCounts("errors_of", density->errors, json);
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

}  // namespace

std::span<const Route> RunLogRoutes() {
  static constexpr std::array<Route, 4> kRoutes = {{
      {"GET", "/api/v1/runs/{id}/logs", Logs, RawParams},
      {"GET", "/api/v1/runs/{id}/log", Lines, LineParams},
      {"GET", "/api/v1/runs/{id}/log/search", Search, SearchParams, Lane::kQuery},
      {"GET", "/api/v1/runs/{id}/log/density", Density, DensityParams},
  }};
  return kRoutes;
}

}  // namespace telltale
