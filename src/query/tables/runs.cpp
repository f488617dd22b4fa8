// SPDX-License-Identifier: Apache-2.0
// `runs`, `params`, `scalars`, `histograms`, `media` and `texts`: training runs and what they
// logged. `run` is the run's name in all of them. Scalars are read where they lie; the others are
// decoded when a query first asks.
#include <algorithm>
#include <cmath>
#include <variant>

#include "query/tables/tables.h"

namespace telltale {

namespace {

Value TextOrNull(const std::optional<std::string>& text) {
  return text ? Value::Text(*text) : Value::Null();
}
Value WholeOrNull(const std::optional<int64_t>& value) {
  return value ? Value::Integer(*value) : Value::Null();
}
// Seconds to ns; NULL where there are none, or they do not fit.
Value Nanoseconds(double seconds) {
  constexpr double kMost = 9e9;
  if (!(seconds > -kMost && seconds < kMost)) return Value::Null();
  // Whole seconds and the rest apart: in ns, today's dates have more digits than a double.
  const double whole = std::floor(seconds);
  return Value::Integer(static_cast<int64_t>(whole) * 1'000'000'000 +
                        std::llround((seconds - whole) * 1e9));
}

SqlColumn RunColumn() {
  return {"run",
          ColumnType::kText,
          "the run's name",
          [](const QueryFile& f, uint32_t) { return f.source().Own(f.run->info.name); },
          Spread::kMany,
          TextNumbers::kOwn};
}

struct PointPlace {
  size_t tag = 0;
  size_t index = 0;
};
PointPlace PointAt(const QueryFile& file, uint32_t row) {
  const std::vector<uint32_t>& first = file.FirstPoints();
  const auto at = std::upper_bound(first.begin(), first.end(), row);
  const auto tag = static_cast<size_t>(at - first.begin()) - 1;
  return {tag, row - first[tag]};
}
ScalarPoint Point(const QueryFile& file, uint32_t row) {
  const PointPlace place = PointAt(file, row);
  return file.run->scalars[place.tag].points[place.index];
}

// tag, step and wall_time_ns of rows that have a QueryPlace.
template <typename Row, const std::vector<Row>& (QueryFile::*Rows)() const>
std::vector<SqlColumn> PlaceColumns() {
  return {{"tag", ColumnType::kText, "what was logged",
           [](const QueryFile& f, uint32_t r) { return Value::Text((f.*Rows)()[r].tag); }},
          {"step", ColumnType::kInteger, "at which step",
           [](const QueryFile& f, uint32_t r) { return Value::Integer((f.*Rows)()[r].step); },
           Spread::kSome},
          {"wall_time_ns", ColumnType::kInteger, "when, since 1970",
           [](const QueryFile& f, uint32_t r) { return Nanoseconds((f.*Rows)()[r].wall_time); },
           Spread::kFew}};
}

}  // namespace

SqlTable RunsTable() {
  SqlTable table;
  table.name = "runs";
  table.meaning = "training runs";
  table.rows = table.about = [](const QueryFile& f) { return size_t{f.run != nullptr ? 1U : 0U}; };
  table.columns = {
      RunColumn(),
      {"name", ColumnType::kText, "the same",
       [](const QueryFile& f, uint32_t) { return Value::Text(f.run->info.name); }},
      {"kind", ColumnType::kText,
       "telltale, tensorboard, lightning, hydra, wandb, mlflow or trackio",
       [](const QueryFile& f, uint32_t) { return Value::Text(NameOf(f.run->info.kind)); }},
      {"experiment", ColumnType::kText, "what it belongs to",
       [](const QueryFile& f, uint32_t) { return TextOrNull(f.run->info.experiment); }},
      {"status", ColumnType::kText, "Queued, Running, Completed, Failed, Canceled or Lost",
       [](const QueryFile& f, uint32_t) {
         return f.run->info.status ? Value::Text(NameOf(*f.run->info.status)) : Value::Null();
       }},
      {"start_ns", ColumnType::kInteger, "when it began, since 1970",
       [](const QueryFile& f, uint32_t) { return WholeOrNull(f.run->info.start_ns); },
       Spread::kUnique},
      {"end_ns", ColumnType::kInteger, "when it ended, where that is known",
       [](const QueryFile& f, uint32_t) { return WholeOrNull(f.run->info.end_ns); },
       Spread::kUnique},
      {"path", ColumnType::kText, "its folder, or the database it is in",
       [](const QueryFile& f, uint32_t) { return Value::Text(f.run->info.path); }}};
  return table;
}

SqlTable ParamsTable() {
  SqlTable table;
  table.name = "params";
  table.meaning = "configuration of the runs, nested names joined by '.'";
  table.rows = table.about = [](const QueryFile& f) {
    return f.run != nullptr ? f.run->info.config.size() : 0;
  };
  table.columns = {
      RunColumn(),
      {"name", ColumnType::kText, "name of the value",
       [](const QueryFile& f, uint32_t r) { return Value::Text(f.run->info.config[r].first); }},
      {"value", ColumnType::kAny, "integer, real, text, or NULL; flags are 1 and 0",
       [](const QueryFile& f, uint32_t r) {
         const ConfigValue& value = f.run->info.config[r].second;
         if (const auto* flag = std::get_if<bool>(&value)) {
           return Value::Integer(*flag ? 1 : 0);
         }
         if (const auto* whole = std::get_if<int64_t>(&value)) {
           return Value::Integer(*whole);
         }
         if (const auto* real = std::get_if<double>(&value)) {
           return Value::Real(*real);
         }
         if (const auto* text = std::get_if<std::string>(&value)) {
           return Value::Text(*text);
         }
         return Value::Null();
       }}};
  return table;
}

SqlTable ScalarsTable() {
  SqlTable table;
  table.name = "scalars";
  table.meaning = "every point of every scalar, in the order of the files";
  table.rows = table.about = [](const QueryFile& f) {
    return f.run != nullptr ? size_t{f.FirstPoints().back()} : 0;
  };
  table.columns = {
      RunColumn(),
      {"tag", ColumnType::kText, "what was logged",
       [](const QueryFile& f, uint32_t r) { return f.TagValues()[PointAt(f, r).tag]; },
       Spread::kMany, TextNumbers::kOwn},
      {"step", ColumnType::kInteger, "at which step",
       [](const QueryFile& f, uint32_t r) { return Value::Integer(Point(f, r).step); },
       Spread::kSome},
      {"wall_time_ns", ColumnType::kInteger, "when, since 1970",
       [](const QueryFile& f, uint32_t r) { return Nanoseconds(Point(f, r).wall_time); },
       Spread::kFew},
      {"value", ColumnType::kReal, "the value; NULL is NaN",
       [](const QueryFile& f, uint32_t r) { return Value::Real(Point(f, r).value); }, Spread::kFew},
      {"hidden", ColumnType::kInteger, "1 if a restart of the run overwrote it",
       [](const QueryFile& f, uint32_t r) {
         const PointPlace place = PointAt(f, r);
         return Value::Integer(f.run->scalars[place.tag].points.hidden(place.index) ? 1 : 0);
       }}};
  return table;
}

SqlTable HistogramsTable() {
  using Row = QueryHistogram;
  constexpr auto kRows = &QueryFile::Histograms;
  SqlTable table;
  table.name = "histograms";
  table.meaning = "distributions that were logged";
  table.rows = [](const QueryFile& f) { return f.run != nullptr ? f.Histograms().size() : 0; };
  table.about = [](const QueryFile& f) { return size_t{f.run != nullptr ? 16U : 0U}; };
  table.columns = {RunColumn()};
  Append(table.columns, PlaceColumns<Row, kRows>());
  Append(
      table.columns,
      {{"min", ColumnType::kReal, "the smallest value",
        [](const QueryFile& f, uint32_t r) { return Value::Real(f.Histograms()[r].min); }},
       {"max", ColumnType::kReal, "the largest value",
        [](const QueryFile& f, uint32_t r) { return Value::Real(f.Histograms()[r].max); }},
       {"count", ColumnType::kReal, "how many values",
        [](const QueryFile& f, uint32_t r) { return Value::Real(f.Histograms()[r].count); }},
       {"sum", ColumnType::kReal, "their sum, where it was written",
        [](const QueryFile& f, uint32_t r) { return Value::Real(f.Histograms()[r].sum); }},
       {"sum_squares", ColumnType::kReal, "the sum of their squares, where it was written",
        [](const QueryFile& f, uint32_t r) { return Value::Real(f.Histograms()[r].sum_squares); }},
       {"buckets", ColumnType::kText, "JSON: [[left, right, count], …]",
        [](const QueryFile& f, uint32_t r) { return Value::Text(f.Histograms()[r].buckets); }}});
  return table;
}

SqlTable MediaTable() {
  using Row = QueryMedia;
  constexpr auto kRows = &QueryFile::Media;
  SqlTable table;
  table.name = "media";
  table.meaning = "images, audio and the like: what there is, not their bytes";
  table.rows = [](const QueryFile& f) { return f.run != nullptr ? f.Media().size() : 0; };
  table.about = [](const QueryFile& f) { return size_t{f.run != nullptr ? 16U : 0U}; };
  table.columns = {RunColumn()};
  std::vector<SqlColumn> place = PlaceColumns<Row, kRows>();
  table.columns.push_back(place[0]);
  table.columns.push_back(
      {"kind", ColumnType::kText, "images, audio, video …",
       [](const QueryFile& f, uint32_t r) { return Value::Text(f.Media()[r].kind); }});
  table.columns.push_back(place[1]);
  table.columns.push_back(place[2]);
  Append(table.columns,
         {{"sample", ColumnType::kInteger, "place among those of one step",
           [](const QueryFile& f, uint32_t r) { return Value::Integer(f.Media()[r].sample); }},
          {"content_type", ColumnType::kText, "such as image/png; NULL: none that is known",
           [](const QueryFile& f, uint32_t r) {
             const std::string& type = f.Media()[r].content_type;
             return type.empty() ? Value::Null() : Value::Text(type);
           }},
          {"bytes", ColumnType::kInteger, "its size",
           [](const QueryFile& f, uint32_t r) { return Value::Integer(f.Media()[r].bytes); }},
          {"width", ColumnType::kInteger, "of an image",
           [](const QueryFile& f, uint32_t r) {
             const int64_t width = f.Media()[r].width;
             return width > 0 ? Value::Integer(width) : Value::Null();
           }},
          {"height", ColumnType::kInteger, "of an image", [](const QueryFile& f, uint32_t r) {
             const int64_t height = f.Media()[r].height;
             return height > 0 ? Value::Integer(height) : Value::Null();
           }}});
  return table;
}

SqlTable TextsTable() {
  using Row = QueryText;
  constexpr auto kRows = &QueryFile::Texts;
  SqlTable table;
  table.name = "texts";
  table.meaning = "texts that were logged";
  table.rows = [](const QueryFile& f) { return f.run != nullptr ? f.Texts().size() : 0; };
  table.about = [](const QueryFile& f) { return size_t{f.run != nullptr ? 16U : 0U}; };
  table.columns = {RunColumn()};
  Append(table.columns, PlaceColumns<Row, kRows>());
  Append(table.columns,
         {{"text", ColumnType::kText, "all cells of a table in one",
           [](const QueryFile& f, uint32_t r) { return Value::Text(f.Texts()[r].text); }}});
  return table;
}

}  // namespace telltale
