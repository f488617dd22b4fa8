// SPDX-License-Identifier: Apache-2.0
// Scalars: the tags of each run, all points of one, of one over several runs, of those that a
// custom chart names.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/pattern.h"
#include "base/utf8.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/tag_index.h"

namespace telltale {

namespace {

constexpr std::string_view kScalars = "scalars";

std::string PointsJson(const BoardSeries& series, bool purge) {
  std::string out = "[";
  series.ForEachPoint(purge, [&](const ScalarPoint& point) {
    out += out.size() > 1 ? ",[" : "[";
    AppendJsonNumber(point.wall_time, out);
    fmt::format_to(std::back_inserter(out), ",{},", point.step);
    AppendJsonNumber(point.value, out);
    out += ']';
  });
  return out + "]";
}

std::string PointsCsv(const BoardSeries& series, bool purge) {
  std::string out = "Wall time,Step,Value\r\n";
  series.ForEachPoint(purge, [&](const ScalarPoint& point) {
    fmt::format_to(std::back_inserter(out), "{},{},{}\r\n", PythonFloat(point.wall_time),
                   point.step, PythonFloat(point.value));
  });
  return out;
}

HttpResponse AnswerTags(const DataContext& context, const DataRequest& /*request*/) {
  return TagIndex(context, kScalars);
}

// Also of custom_scalars/download_data.
HttpResponse AnswerScalars(const DataContext& context, const DataRequest& request) {
  const std::optional<std::string_view> run = request.Argument("run");
  const std::optional<std::string_view> tag = request.Argument("tag");
  if (!run || !tag) {
    const auto shown = [](const std::optional<std::string_view>& text) {
      return text ? PythonQuoted(*text) : "None";
    };
    return InvalidArgument(
        fmt::format("Both run and tag must be specified: tag={}, run={}", shown(tag), shown(run)));
  }
  const bool csv = request.Argument("format") == "csv";
  std::optional<std::string> body;
  context.board.WithRun(*run, [&](const BoardRun& found) {
    const std::optional<BoardSeries> series = found.Find(*tag, kScalars);
    if (!series) return;
    body = csv ? PointsCsv(*series, context.options.purge)
               : PointsJson(*series, context.options.purge);
  });
  if (!body) {
    return NotFound(
        fmt::format("No scalar data for run={}, tag={}", PythonQuoted(*run), PythonQuoted(*tag)));
  }
  return csv ? BodyResponse(std::move(*body), "text/csv; charset=utf-8")
             : JsonResponse(std::move(*body));
}

HttpResponse AnswerScalarsOfRuns(const DataContext& context, const DataRequest& request) {
  const std::vector<std::string_view> tags = request.Posted("tag");
  if (tags.size() != 1) return InvalidArgument("tag must be specified exactly once");
  const std::vector<std::string_view> runs = request.Posted("runs");
  JsonWriter json(false);
  json.BeginObject();
  context.board.ForEachRun([&](const BoardRun& run) {
    if (std::ranges::find(runs, run.name()) == runs.end()) return;
    const std::optional<BoardSeries> series = run.Find(tags[0], kScalars);
    if (!series) return;
    json.Key(RepairUtf8(run.name()));
    json.Raw(PointsJson(*series, context.options.purge));
  });
  json.EndObject();
  return JsonResponse(json.Take());
}

// Those tags of a run that a pattern matches from their beginning on.
HttpResponse AnswerMatchingScalars(const DataContext& context, const DataRequest& request) {
  const std::string_view pattern = request.Argument("tag").value_or("");
  const std::string_view run_name = request.Argument("run").value_or("");
  Result<Pattern> compiled = Pattern::Compile(fmt::format("^(?:{})", pattern));
  const bool valid = !pattern.empty() && compiled && Pattern::Compile(pattern).has_value();
  JsonWriter json(false);
  json.BeginObject();
  json.Field("regex_valid", valid);
  json.Key("tag_to_events");
  json.BeginObject();
  if (valid) {
    context.board.WithRun(run_name, [&](const BoardRun& run) {
      for (const BoardSeries& series : run.Series(kScalars)) {
        if (!compiled->Matches(series.tag())) continue;
        json.Key(RepairUtf8(series.tag()));
        json.Raw(PointsJson(series, context.options.purge));
      }
    });
  }
  json.EndObject();
  json.EndObject();
  if (valid && compiled->gave_up()) {
    return InvalidArgument("the pattern takes too long on the tags of this run");
  }
  return JsonResponse(json.Take());
}

}  // namespace

std::span<const DataRoute> ScalarDataRoutes() {
  static constexpr std::array<DataRoute, 5> kRoutes = {{
      {"plugin/scalars/tags", AnswerTags},
      {"plugin/scalars/scalars", AnswerScalars, DataMethod::kGet, true},
      {"plugin/scalars/scalars_multirun", AnswerScalarsOfRuns, DataMethod::kPost, true},
      {"plugin/custom_scalars/download_data", AnswerScalars, DataMethod::kGet, true},
      {"plugin/custom_scalars/scalars", AnswerMatchingScalars, DataMethod::kGet, true},
  }};
  return kRoutes;
}

}  // namespace telltale
