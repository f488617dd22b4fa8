// SPDX-License-Identifier: Apache-2.0
// `runs`, `params`, `scalars`, `histograms`, `media` and `texts`: training runs and what they
// logged. `run` is the run's name in all of them. Scalars are read where they lie; the others are
// decoded when a query first asks.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
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

// Columns of what a run logged besides scalars: `Rows` is the member of QueryFile that decodes it.
template <auto Rows>
struct Logged {
  using Row = std::remove_cvref_t<decltype((std::declval<const QueryFile&>().*Rows)()[0])>;

  // A column of what `value` says of a row.
  template <auto value>
  static SqlColumn Column(const char* name, ColumnType type, const char* meaning,
                          Spread spread = Spread::kMany) {
    return {name, type, meaning,
            [](const QueryFile& f, uint32_t r) -> Value { return value((f.*Rows)()[r]); }, spread};
  }
  static SqlColumn Tag() {
    return Column<[](const Row& row) { return Value::Text(row.tag); }>("tag", ColumnType::kText,
                                                                       "what was logged");
  }
  static SqlColumn Step() {
    return Column<[](const Row& row) { return Value::Integer(row.step); }>(
        "step", ColumnType::kInteger, "at which step", Spread::kSome);
  }
  static SqlColumn WallTime() {
    return Column<[](const Row& row) { return Nanoseconds(row.wall_time); }>(
        "wall_time_ns", ColumnType::kInteger, "when, since 1970", Spread::kFew);
  }
  static SqlTable Table(const char* name, const char* meaning, std::vector<SqlColumn> columns) {
    SqlTable table;
    table.name = name;
    table.meaning = meaning;
    table.rows = [](const QueryFile& f) { return f.run != nullptr ? (f.*Rows)().size() : 0; };
    // Counting would decode them.
    table.about = [](const QueryFile& f) { return size_t{f.run != nullptr ? 16U : 0U}; };
    table.columns = std::move(columns);
    return table;
  }
};

// 0 where nobody said.
Value SizeOrNull(int64_t size) { return size > 0 ? Value::Integer(size) : Value::Null(); }

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
  using L = Logged<&QueryFile::Histograms>;
  using Row = L::Row;
  constexpr ColumnType kReal = ColumnType::kReal;
  return L::Table("histograms", "distributions that were logged",
                  {RunColumn(), L::Tag(), L::Step(), L::WallTime(),
                   L::Column<[](const Row& row) { return Value::Real(row.min); }>(
                       "min", kReal, "the smallest value"),
                   L::Column<[](const Row& row) { return Value::Real(row.max); }>(
                       "max", kReal, "the largest value"),
                   L::Column<[](const Row& row) { return Value::Real(row.count); }>(
                       "count", kReal, "how many values"),
                   L::Column<[](const Row& row) { return Value::Real(row.sum); }>(
                       "sum", kReal, "their sum, where it was written"),
                   L::Column<[](const Row& row) { return Value::Real(row.sum_squares); }>(
                       "sum_squares", kReal, "the sum of their squares, where it was written"),
                   L::Column<[](const Row& row) { return Value::Text(row.buckets); }>(
                       "buckets", ColumnType::kText, "JSON: [[left, right, count], …]")});
}

SqlTable MediaTable() {
  using L = Logged<&QueryFile::Media>;
  using Row = L::Row;
  constexpr ColumnType kInteger = ColumnType::kInteger;
  return L::Table(
      "media", "images, audio and the like: what there is, not their bytes",
      {RunColumn(), L::Tag(),
       L::Column<[](const Row& row) { return Value::Text(row.kind); }>("kind", ColumnType::kText,
                                                                       "images, audio, video …"),
       L::Step(), L::WallTime(),
       L::Column<[](const Row& row) { return Value::Integer(row.sample); }>(
           "sample", kInteger, "place among those of one step"),
       L::Column<[](const Row& row) {
         return row.content_type.empty() ? Value::Null() : Value::Text(row.content_type);
       }>("content_type", ColumnType::kText, "such as image/png; NULL: none that is known"),
       L::Column<[](const Row& row) { return Value::Integer(row.bytes); }>("bytes", kInteger,
                                                                           "its size"),
       L::Column<[](const Row& row) { return SizeOrNull(row.width); }>("width", kInteger,
                                                                       "of an image"),
       L::Column<[](const Row& row) { return SizeOrNull(row.height); }>("height", kInteger,
                                                                        "of an image")});
}

SqlTable TextsTable() {
  using L = Logged<&QueryFile::Texts>;
  return L::Table("texts", "texts that were logged",
                  {RunColumn(), L::Tag(), L::Step(), L::WallTime(),
                   L::Column<[](const L::Row& row) { return Value::Text(row.text); }>(
                       "text", ColumnType::kText, "all cells of a table in one")});
}

}  // namespace telltale
