// SPDX-License-Identifier: Apache-2.0
// Series of runs: which tags there are, and the lines of charts, as few points as their pixels
// need.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/series/joined.h"
#include "analysis/series/line.h"
#include "analysis/series/spread.h"
#include "base/cancel.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "runs/trace_name.h"
#include "server/curve_request.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/run_routes.h"
#include "server/run_select.h"
#include "server/tensorboard/projector_files.h"

namespace telltale {

namespace {

// What an answer with lines may take: with very many of them, each has fewer points.
constexpr size_t kMostBytes = size_t{16} << 20;
constexpr size_t kBytesOfPixel = 4 * 5 * sizeof(double);
constexpr size_t kLeastWidth = 16;

std::span<const ParamSpec> TagParams() {
  static const std::array<ParamSpec, 3> specs = {{
      {.name = "runs", .type = ParamType::kText},
      {.name = "where", .type = ParamType::kText},
      {.name = "raw"},
  }};
  return specs;
}

// Of the runs that have a tag, so many are named.
constexpr size_t kMostNamedRuns = 64;

struct TagColumn {
  size_t runs = 0;
  std::vector<std::string> ids;  // of the first of them
  uint64_t points = 0;
  std::string display_name;
  std::string description;
};

struct TagLess {
  using Key = std::pair<std::string, std::string>;  // tag, plugin
  bool operator()(const Key& left, const Key& right) const {
    const std::strong_ordering order = NaturalOrder(left.first, right.first);
    if (order != 0) return order < 0;
    return left < right;
  }
};

std::string TagsJson(const RouteContext& context, const std::vector<std::string>& ids, bool raw) {
  std::map<TagLess::Key, TagColumn, TagLess> tags;
  for (const std::string& id : ids) {
    static_cast<void>(context.runs->workspace().WithSeries(
        id,
        [&](const RunSeries& series) {
          for (const TagSeries& tag : series.tags) {
            TagColumn& column = tags[{tag.tag, tag.plugin}];
            ++column.runs;
            if (column.ids.size() < kMostNamedRuns) column.ids.push_back(id);
            column.points += tag.points();
            if (column.display_name.empty()) column.display_name = tag.display_name();
            if (column.description.empty()) column.description = tag.description();
          }
        },
        raw));
  }
  const std::shared_ptr<const RunList> list = context.runs->workspace().runs(raw);
  const bool embeddings = std::ranges::any_of(ids, [&](const std::string& id) {
    const ListedRun* const run = list->Find(id);
    return run != nullptr &&
           ReadProjectorFolder(run->info.path, context.runs->workspace().gate()).has_value();
  });
  JsonWriter json(false);
  json.BeginObject();
  json.Field("total", tags.size());
  // They are files beside the series.
  json.Field("embeddings", embeddings);
  json.Key("tags");
  json.BeginArray();
  for (const auto& [key, column] : tags) {
    if (json.size() > kLastRowBegins) break;
    json.BeginObject();
    json.Field("tag", RepairUtf8(key.first));
    json.Field("plugin", RepairUtf8(key.second));
    json.Field("runs", column.runs);
    json.Field("points", column.points);
    json.Key("ids");
    json.BeginArray();
    for (const std::string& id : column.ids) json.String(id);
    json.EndArray();
    json.Field("display_name", RepairUtf8(column.display_name));
    json.Field("description", RepairUtf8(column.description));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

HttpResponse Tags(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const bool raw = request.params.Has("raw");
  if (request.params.Has("runs")) {
    return JsonResponse(TagsJson(context, Listed(request.params.Text("runs")), raw));
  }
  const std::shared_ptr<const RunList> list = context.runs->workspace().runs(raw);
  const Result<SelectedRuns> selected = SelectRuns(*list, request.params.Text("where"), "", false);
  if (!selected) return ErrorResponse(selected.error());
  std::vector<std::string> ids;
  for (const std::shared_ptr<const ListedRun>& run : *selected) ids.push_back(run->info.id);
  if (request.params.Has("where")) return JsonResponse(TagsJson(context, ids, raw));
  return JsonResponse(context.runs->Kept(raw ? "tags raw" : "tags", list->revision,
                                         [&] { return TagsJson(context, ids, raw); }));
}

JoinedScalars Joined(const TagSeries& series) {
  std::vector<const SeriesSet*> files;
  for (const TagSeries::Piece& piece : series.pieces) files.push_back(piece.set);
  return series.pieces.empty() ? JoinedScalars()
                               : JoinedScalars(files, series.pieces.front().tag->tag);
}

LineRequest LineOf(const CurveRequest& curve, size_t width) {
  LineRequest request;
  request.axis = static_cast<LineAxis>(curve.axis);
  request.from = curve.from;
  request.to = curve.to;
  request.width = width;
  request.smoothing = curve.smoothing;
  request.hide_overwritten = curve.hide_overwritten;
  return request;
}

void Take(Line&& line, CurveLine& out) {
  out.total = line.total;
  out.reduced = line.reduced;
  out.x = std::move(line.x);
  out.y = std::move(line.y);
  out.smoothed = std::move(line.smoothed);
  out.wall = std::move(line.wall);
  out.step = std::move(line.step);
  out.has_band = !line.low.empty();
  out.low = std::move(line.low);
  out.high = std::move(line.high);
}

void AddLine(const RouteContext& context, const CurveRequest& curve, size_t chart, size_t run,
             size_t width, std::vector<CurveLine>& lines) {
  const CurveChart& asked = curve.charts[chart];
  static_cast<void>(context.runs->workspace().WithSeries(
      asked.runs[run],
      [&](const RunSeries& series) {
        const TagSeries* const tag = series.Find(asked.tag, "scalars");
        if (tag == nullptr) return;
        const JoinedScalars points = Joined(*tag);
        LineRequest request = LineOf(curve, width);
        JoinedScalars other;
        if (curve.axis == CurveAxis::kTag) {
          const TagSeries* const axis = series.Find(curve.axis_tag, "scalars");
          if (axis == nullptr) return;
          other = Joined(*axis);
          request.other = &other;
        }
        CurveLine line;
        line.chart = static_cast<uint32_t>(chart);
        line.run = static_cast<uint32_t>(run);
        line.points_of_tag = points.size();
        Take(MakeLine(points, request), line);
        lines.push_back(std::move(line));
      },
      curve.raw));
}

// By what runs are put together: those without the value are a group, too.
std::string GroupOf(const RunInfo& run, std::string_view by) {
  if (by == "all") return "";
  by.remove_prefix(std::string_view("config.").size());
  for (const auto& [name, value] : run.config) {
    if (name != by) continue;
    JsonWriter json(false);
    std::visit(
        [&](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, std::string>) json.String(RepairUtf8(held));
          if constexpr (std::is_same_v<Held, bool>) json.Bool(held);
          if constexpr (std::is_same_v<Held, int64_t>) json.Int(held);
          if constexpr (std::is_same_v<Held, double>) json.Double(held);
        },
        value);
    return json.Take();
  }
  return "\n";
}

// Groups in the order of their first run.
void AddGroups(const RouteContext& context, const CurveRequest& curve, const RunList& list,
               size_t chart, size_t width, std::vector<CurveLine>& lines) {
  const CurveChart& asked = curve.charts[chart];
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const std::string& id : asked.runs) {
    const ListedRun* const run = list.Find(id);
    if (run == nullptr) continue;
    const std::string name = GroupOf(run->info, curve.group_by);
    auto known = std::ranges::find(groups, name, &decltype(groups)::value_type::first);
    if (known == groups.end()) known = groups.insert(groups.end(), {name, {}});
    known->second.push_back(id);
  }
  for (size_t group = 0; group < groups.size(); ++group) {
    // A run is looked at while it does not change, and one at a time: their points are copied.
    std::vector<std::unique_ptr<ScalarColumn>> columns;
    uint64_t points_of_tag = 0;
    for (const std::string& id : groups[group].second) {
      static_cast<void>(context.runs->workspace().WithSeries(
          id,
          [&](const RunSeries& series) {
            const TagSeries* const tag = series.Find(asked.tag, "scalars");
            if (tag == nullptr) return;
            const JoinedScalars points = Joined(*tag);
            auto column = std::make_unique<ScalarColumn>();
            points_of_tag += points.size();
            points.ForEachVisible([&](size_t, const ScalarPoint& point) {
              column->Append(point.step, point.wall_time, point.value);
            });
            columns.push_back(std::move(column));
          },
          curve.raw));
    }
    if (columns.empty()) continue;
    std::vector<JoinedScalars> joined;
    joined.reserve(columns.size());
    std::vector<const JoinedScalars*> runs;
    for (const std::unique_ptr<ScalarColumn>& column : columns) {
      runs.push_back(&joined.emplace_back(*column));
    }
    CurveLine line;
    line.chart = static_cast<uint32_t>(chart);
    line.run = static_cast<uint32_t>(group);
    line.points_of_tag = points_of_tag;
    Take(MakeSpread(runs, LineOf(curve, width), static_cast<SpreadBand>(curve.band)), line);
    lines.push_back(std::move(line));
  }
}

HttpResponse Points(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const Result<CurveRequest> curve = ReadCurveRequest(request.http.body);
  if (!curve) return ErrorResponse(curve.error());
  if (!curve->group_by.empty() && curve->axis == CurveAxis::kTag) {
    return ErrorResponse(400, "wrong_request",
                         "groups are drawn over step or time, not over a tag");
  }
  size_t asked = 0;
  for (const CurveChart& chart : curve->charts) asked += chart.runs.size();
  const size_t fits = kMostBytes / kBytesOfPixel / std::max<size_t>(asked, 1);
  const size_t width = std::min(curve->width, std::max(fits, kLeastWidth));
  const std::shared_ptr<const RunList> list = context.runs->workspace().runs(curve->raw);
  std::vector<CurveLine> lines;
  for (size_t chart = 0; chart < curve->charts.size(); ++chart) {
    if (!curve->group_by.empty()) {
      AddGroups(context, *curve, *list, chart, width, lines);
      continue;
    }
    for (size_t run = 0; run < curve->charts[chart].runs.size(); ++run) {
      if (request.http.Abandoned()) throw Canceled();
      AddLine(context, *curve, chart, run, width, lines);
    }
  }
  return BinaryResponse(CurveBytes(lines));
}

}  // namespace

std::span<const Route> SeriesRoutes() {
  static constexpr std::array<Route, 2> kRoutes = {{
      {"GET", "/api/v1/series/tags", Tags, TagParams},
      {"POST", "/api/v1/series/points", Points},
  }};
  return kRoutes;
}

}  // namespace telltale
