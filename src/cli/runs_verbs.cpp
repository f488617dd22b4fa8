// SPDX-License-Identifier: Apache-2.0
#include "cli/runs_verbs.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/table_json.h"
#include "views/render/table_text.h"
#include "views/runs/runs_table.h"
#include "views/runs/sentence.h"
#include "views/runs/where.h"
#include "views/suggest.h"
#include "views/table_data.h"

namespace telltale {

int ShowRun(const RunsContext& context, const ListedRun& run) {
  const OutputStyle& style = context.style;
  DescriptorOutput output(STDOUT_FILENO);
  if (context.arguments.Has("json")) {
    JsonWriter json;
    WriteRunJson(run, json);
    output.Write(json.Take());
    return Finish(output);
  }
  const RunInfo& info = run.info;
  const auto shown = [&](std::string_view text) { return Printable(text, style.unicode); };
  std::string out = Heading(shown(info.name),
                            info.status ? std::string(NameOf(*info.status)) : std::string(), style);
  const auto fact = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("  {:<11}{}\n", name, value);
  };
  fact("id", info.id);
  fact("path", shown(info.path));
  fact("kind", std::string(NameOf(info.kind)));
  fact("experiment", shown(info.experiment.value_or("")));
  fact("group", shown(info.group.value_or("")));
  if (info.start_ns) fact("started", MomentText(*info.start_ns) + " UTC");
  if (info.end_ns) fact("ended", MomentText(*info.end_ns) + " UTC");
  if (run.duration_ns) fact("duration", LongDuration(*run.duration_ns, style));
  std::string tags;
  for (const std::string& tag : info.tags) tags += (tags.empty() ? "" : ", ") + shown(tag);
  fact("tags", tags);
  fact("note", shown(info.note.value_or("")));
  if (!info.config.empty()) {
    out += "\n" + Heading("Configuration", "", style);
    Table table({{"name", ColumnKind::kName, TableColumn::kAlways, 16},
                 {"value", ColumnKind::kName, TableColumn::kAlways, 16}});
    for (const auto& [name, value] : info.config) {
      table.AddRow({shown(name), ValueText(AsField(value), style)});
    }
    out += table.Render(style);
  }
  if (!run.metrics.empty()) {
    out += "\n" + Heading("Metrics", "", style);
    Table table({{"metric", ColumnKind::kName},
                 {"last", ColumnKind::kNumber},
                 {"at step", ColumnKind::kNumber, 60},
                 {"min", ColumnKind::kNumber, 80},
                 {"at step", ColumnKind::kNumber, 50},
                 {"max", ColumnKind::kNumber, 80},
                 {"at step", ColumnKind::kNumber, 50},
                 {"points", ColumnKind::kNumber, 70}});
    for (const MetricSummary& metric : run.metrics) {
      const auto value = [&](const std::optional<double>& v) {
        return v ? ValueText(*v, style) : ValueText({}, style);
      };
      const auto step = [&](const std::optional<double>& v, int64_t at) {
        return v ? FormatCount(at) : ValueText({}, style);
      };
      table.AddRow({shown(metric.tag), ValueText(metric.last, style), FormatCount(metric.last_step),
                    value(metric.min), step(metric.min, metric.min_step), value(metric.max),
                    step(metric.max, metric.max_step),
                    FormatCount(static_cast<int64_t>(metric.points))});
    }
    out += table.Render(style);
  }
  const auto files = [&](std::string_view title, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    out += "\n" + Heading(title, "", style);
    for (const std::string& path : paths) out += "  " + shown(path) + "\n";
  };
  files("Profiles", info.profiles);
  files("Files", info.files);
  if (!info.diagnostics.empty()) {
    out += "\n" + Heading("What is wrong with the files", "", style);
    for (const Diagnostic& one : info.diagnostics.entries()) {
      const DiagnosticInfo& about = InfoOf(one.kind);
      std::string line = fmt::format("{}: {}", NameOf(about.severity),
                                     one.detail.empty() ? about.message : one.detail);
      if (one.count > 1)
        line += fmt::format(" ({} times)", FormatCount(static_cast<int64_t>(one.count)));
      if (one.first_offset) line += fmt::format(", first at byte {}", *one.first_offset);
      out += Paragraph(shown(line), style, 2);
    }
  }
  output.Write(out);
  return Finish(output);
}

int CompareRuns(const RunsContext& context, const RunsChosen& runs) {
  const OutputStyle& style = context.style;
  std::vector<RunRow> rows;
  for (const auto& run : runs) rows.push_back({run});
  RunList some;
  some.runs = runs;
  const RunNames names = NamesOf(some);
  const std::vector<std::string> differing = DifferingConfig(rows, names);
  DescriptorOutput output(STDOUT_FILENO);
  if (context.arguments.Has("json")) {
    JsonWriter json;
    json.BeginObject();
    json.Field("schema", 1);
    json.Key("runs");
    json.BeginArray();
    for (const auto& run : runs) {
      json.BeginObject();
      json.Field("id", run->info.id);
      json.Field("name", run->info.name);
      json.EndObject();
    }
    json.EndArray();
    json.Key("config");
    json.BeginArray();
    for (const bool wanted : {true, false}) {
      for (const std::string& name : names.config) {
        const bool differs = std::ranges::binary_search(differing, name);
        if (differs != wanted) continue;
        json.BeginObject();
        json.Field("name", name);
        json.Field("differs", differs);
        json.Key("values");
        json.BeginArray();
        for (const auto& run : runs) {
          const FieldValue value = ConfigOf(*run, name);
          const auto* const real = std::get_if<double>(&value);
          real != nullptr ? WriteNumber(*real, json) : WriteJson(value, json);
        }
        json.EndArray();
        json.EndObject();
      }
    }
    json.EndArray();
    json.Key("metrics");
    json.BeginArray();
    for (const std::string& tag : names.metrics) {
      json.BeginObject();
      json.Field("tag", tag);
      const auto each = [&](std::string_view key, auto get) {
        json.Key(key);
        json.BeginArray();
        for (const auto& run : runs) {
          const MetricSummary* const metric = run->Metric(tag);
          const std::optional<double> value = metric == nullptr ? std::nullopt : get(*metric);
          value ? WriteNumber(*value, json) : json.Null();
        }
        json.EndArray();
      };
      each("last", [](const MetricSummary& m) { return std::optional(m.last); });
      each("min", [](const MetricSummary& m) { return m.min; });
      each("max", [](const MetricSummary& m) { return m.max; });
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    output.Write(json.Take());
    return Finish(output);
  }
  std::vector<TableColumn> columns = {{"", ColumnKind::kName, TableColumn::kAlways, 12}};
  for (const auto& run : runs) {
    columns.push_back({Printable(run->info.name, style.unicode), ColumnKind::kText});
  }
  const auto part = [&](std::string_view title, const std::vector<std::string>& lines, auto get) {
    if (lines.empty()) return;
    Table table(columns);
    for (const std::string& line : lines) {
      std::vector<TableCell> cells = {Printable(line, style.unicode)};
      for (const auto& run : runs) cells.emplace_back(ValueText(get(*run, line), style));
      table.AddRow(std::move(cells));
    }
    output.Write(Heading(title, "", style) + table.Render(style) + "\n");
  };
  part("What differs in the configuration", differing,
       [](const ListedRun& run, const std::string& name) { return ConfigOf(run, name); });
  if (differing.empty()) output.Write("the configuration is the same\n\n");
  part("Last values", names.metrics,
       [](const ListedRun& run, const std::string& tag) -> FieldValue {
         const MetricSummary* const metric = run.Metric(tag);
         return metric == nullptr ? FieldValue() : FieldValue(metric->last);
       });
  return Finish(output);
}

int ExportRuns(const RunsContext& context, const RunsChosen& runs) {
  DescriptorOutput output(STDOUT_FILENO);
  const bool lines = context.arguments.Has("json");
  if (!lines) output.Write("run,tag,step,wall_time,value\n");
  for (const auto& run : runs) {
    context.workspace.WithSeries(
        run->info.id,
        [&](const RunSeries& series) {
          for (const TagSeries& tag : series.tags) {
            if (tag.plugin != "scalars") continue;
            for (const TagSeries::Piece& piece : tag.pieces) {
              piece.tag->scalars.ForEach([&](size_t, const ScalarPoint& point) {
                if (!output.wanted()) return;
                std::string line;
                if (lines) {
                  JsonWriter json(false);
                  json.BeginObject();
                  json.Field("run", run->info.name);
                  json.Field("tag", tag.tag);
                  json.Field("step", point.step);
                  json.Key("wall_time");
                  std::isfinite(point.wall_time) ? json.Double(point.wall_time) : json.Null();
                  json.Key("value");
                  WriteNumber(point.value, json);
                  json.EndObject();
                  line = json.Take();
                } else {
                  AppendCsv(FieldValue(std::string_view(run->info.name)), line);
                  line += ',';
                  AppendCsv(FieldValue(std::string_view(tag.tag)), line);
                  line += fmt::format(",{},{},{}\n", point.step, point.wall_time, point.value);
                }
                output.Write(line);
              });
            }
          }
        },
        context.arguments.Has("raw"));
  }
  return Finish(output);
}

}  // namespace telltale
