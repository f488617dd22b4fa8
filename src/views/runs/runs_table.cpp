// SPDX-License-Identifier: Apache-2.0
#include "views/runs/runs_table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "views/render/display.h"
#include "views/render/unit_column.h"
#include "views/render/units.h"

namespace telltale {

namespace {

using enum Quantity;

Ink InkOfStatus(const RunRow& row) {
  if (!row.run->info.status) return Ink::kDim;
  switch (*row.run->info.status) {
    case RunStatus::kFailed:
    case RunStatus::kLost:
      return Ink::kBad;
    case RunStatus::kRunning:
      return Ink::kNote;
    case RunStatus::kQueued:
    case RunStatus::kCanceled:
      return Ink::kDim;
    case RunStatus::kCompleted:
      break;
  }
  return Ink::kPlain;
}

FieldValue Text(const std::string& text) { return std::string_view(text); }
FieldValue Text(const std::optional<std::string>& text) {
  return text ? FieldValue(std::string_view(*text)) : FieldValue();
}
FieldValue Whole(const std::optional<int64_t>& value) {
  return value ? FieldValue(*value) : FieldValue();
}

void WriteTexts(const std::vector<std::string>& texts, JsonWriter& json) {
  json.BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void WriteMetrics(const RunRow& row, JsonWriter& json) {
  json.BeginObject();
  for (const MetricSummary& metric : row.run->metrics) {
    json.Key(metric.tag);
    json.BeginObject();
    json.Field("points", metric.points);
    json.Field("first_step", metric.first_step);
    json.Field("last_step", metric.last_step);
    json.Key("last");
    WriteNumber(metric.last, json);
    const auto extreme = [&](std::string_view key, std::string_view step_key,
                             const std::optional<double>& value, int64_t step) {
      json.Key(key);
      value ? WriteNumber(*value, json) : json.Null();
      json.Key(step_key);
      value ? json.Int(step) : json.Null();
    };
    extreme("min", "min_step", metric.min, metric.min_step);
    extreme("max", "max_step", metric.max, metric.max_step);
    json.EndObject();
  }
  json.EndObject();
}

void WriteDiagnostics(const RunRow& row, JsonWriter& json) {
  json.BeginArray();
  for (const Diagnostic& one : row.run->info.diagnostics.entries()) {
    const DiagnosticInfo& info = InfoOf(one.kind);
    json.BeginObject();
    json.Field("severity", NameOf(info.severity));
    json.Field("kind", info.name);
    json.Field("count", one.count);
    json.Field("first_offset", one.first_offset);
    json.Field("message", one.detail.empty() ? std::string(info.message) : one.detail);
    json.EndObject();
  }
  json.EndArray();
}

ColumnSpec<RunRow> Object(std::string_view key,
                          void (*write)(const RunRow& row, JsonWriter& json)) {
  ColumnSpec<RunRow> column = Field<RunRow>(key, kJson, nullptr);
  column.json = write;
  return column;
}

// What every table of runs begins with.
std::vector<ColumnSpec<RunRow>> Facts() {
  using R = RunRow;
  constexpr int kAlways = Shown::kAlways;
  return {
      Field<R>("id", kText, [](const R& r) { return Text(r.run->info.id); },
               {.title = "id", .importance = Shown::kNever})
          .Known(),
      Field<R>("name", kName, [](const R& r) { return Text(r.run->info.name); },
               {.title = "run", .importance = kAlways, .least_width = 12})
          .WithText([](const R& r, const CellStyle& style) {
            return Printable(r.run->title.value_or(r.run->info.name), style.unicode);
          })
          .Known(),
      // What tells runs apart that are called the same, and names them for other commands.
      Field<R>(
          "folder", kName,
          [](const R& r) { return r.run->title ? Text(r.run->info.name) : FieldValue(); },
          {.title = "folder", .importance = 35, .presence = Presence::kAnyValue, .page = false})
          .ForPeople(),
      Field<R>("path", kName, [](const R& r) { return Text(r.run->info.path); },
               {.title = "path", .importance = Shown::kNever})
          .Known(),
      Field<R>("kind", kText, [](const R& r) -> FieldValue { return NameOf(r.run->info.kind); },
               {.title = "kind", .importance = Shown::kNever})
          .Known(),
      Field<R>("experiment", kText, [](const R& r) { return Text(r.run->info.experiment); },
               {.title = "experiment", .importance = 20, .presence = Presence::kAnyValue}),
      Field<R>("group", kText, [](const R& r) { return Text(r.run->info.group); },
               {.title = "group", .importance = 18, .presence = Presence::kAnyValue}),
      Field<R>("status", kText,
               [](const R& r) -> FieldValue {
                 return r.run->info.status ? FieldValue(NameOf(*r.run->info.status)) : FieldValue();
               },
               {.title = "status", .importance = 95, .presence = Presence::kAnyValue})
          .WithInk(InkOfStatus),
      Field<R>("start_ns", kMoment, [](const R& r) { return Whole(r.run->info.start_ns); },
               {.title = "started (UTC)", .importance = 40, .with_unit = false})
          .WithText([](const R& r, const CellStyle& style) {
            return r.run->info.start_ns ? MomentText(*r.run->info.start_ns) : Missing(style);
          }),
      Field<R>("end_ns", kMoment, [](const R& r) { return Whole(r.run->info.end_ns); }),
      Field<R>("duration_ns", kDuration, [](const R& r) { return Whole(r.run->duration_ns); },
               {.title = "duration", .importance = 60, .with_unit = false})
          .WithText([](const R& r, const CellStyle& style) {
            return r.run->duration_ns ? LongDuration(*r.run->duration_ns, style) : Missing(style);
          }),
  };
}

FieldValue JoinedTags(const RunRow& row) {
  if (row.run->info.tags.empty()) return {};
  std::string all;
  for (const std::string& tag : row.run->info.tags) all += (all.empty() ? "" : ", ") + tag;
  return all;
}

std::string_view NameOfRow(const RunRow& row) { return row.run->info.name; }

}  // namespace

void WriteNumber(double value, JsonWriter& json) {
  if (std::isnan(value)) return json.String("NaN");
  if (std::isinf(value)) return json.String(value > 0 ? "Infinity" : "-Infinity");
  json.Double(value);
}

void WriteConfigValue(const ConfigValue& value, JsonWriter& json) {
  if (const auto* flag = std::get_if<bool>(&value)) return json.Bool(*flag);
  if (const auto* whole = std::get_if<int64_t>(&value)) return json.Int(*whole);
  if (const auto* real = std::get_if<double>(&value)) return WriteNumber(*real, json);
  if (const auto* text = std::get_if<std::string>(&value)) return json.String(*text);
  json.Null();
}

TableSpec<RunRow> RunObjects() {
  TableSpec<RunRow> spec;
  spec.columns = Facts();
  spec.name = NameOfRow;
  spec.columns.push_back(Object("config", [](const RunRow& row, JsonWriter& json) {
    json.BeginObject();
    for (const auto& [name, value] : row.run->info.config) {
      json.Key(name);
      WriteConfigValue(value, json);
    }
    json.EndObject();
  }));
  spec.columns.push_back(Object("metrics", WriteMetrics));
  spec.columns.push_back(Object(
      "tags", [](const RunRow& row, JsonWriter& json) { WriteTexts(row.run->info.tags, json); }));
  spec.columns.push_back(
      Field<RunRow>("note", kProse, [](const RunRow& r) { return Text(r.run->info.note); }));
  spec.columns.push_back(Object("profiles", [](const RunRow& row, JsonWriter& json) {
    WriteTexts(row.run->info.profiles, json);
  }));
  spec.columns.push_back(Object("diagnostics", WriteDiagnostics));
  return spec;
}

void WriteRunJson(const ListedRun& run, JsonWriter& json) {
  // Of a run that outlives the row.
  const RunRow row{std::shared_ptr<const ListedRun>(std::shared_ptr<void>(), &run)};
  json.BeginObject();
  for (const ColumnSpec<RunRow>& column : RunObjects().columns) {
    json.Key(column.key);
    if (column.json != nullptr) {
      column.json(row, json);
    } else {
      WriteJson(column.get(row), json);
    }
  }
  json.EndObject();
}

TableSpec<RunRow> RunColumns(std::span<const RunField> fields) {
  TableSpec<RunRow> spec;
  spec.columns = Facts();
  spec.name = NameOfRow;
  int importance = 90;
  for (const RunField& one : fields) {
    const auto field = std::make_shared<const RunField>(one);
    ColumnSpec<RunRow> column;
    column.key = field->name();  // the getter holds it
    const bool is_text = one.kind() == RunField::Kind::kFact;
    column.quantity = is_text ? kName : kNumber;
    // People know which it is.
    std::string_view title = field->name();
    for (const std::string_view prefix : {"config.", "metrics."}) {
      if (one.kind() != RunField::Kind::kFact && title.starts_with(prefix)) {
        title.remove_prefix(prefix.size());
      }
    }
    column.shown.title = Printable(title, true);
    column.shown.importance = importance;
    column.shown.least_width = 8;
    importance = std::max(importance - 5, 30);
    column.get = [field](const RunRow& row) { return field->Get(*row.run); };
    column.text = [field](const RunRow& row, const CellStyle& style) {
      const FieldValue value = field->Get(*row.run);
      if (field->kind() == RunField::Kind::kFact) {
        const auto* const ns = std::get_if<int64_t>(&value);
        if (ns != nullptr && field->fact() == RunField::Fact::kDuration) {
          return LongDuration(*ns, style);
        }
        if (ns != nullptr &&
            (field->fact() == RunField::Fact::kStart || field->fact() == RunField::Fact::kEnd)) {
          return MomentText(*ns);
        }
      }
      return ValueText(value, style);
    };
    spec.columns.push_back(std::move(column));
  }
  spec.columns.push_back(
      Field<RunRow>("tags", kText, JoinedTags,
                    {.title = "tags", .importance = 75, .presence = Presence::kAnyValue})
          .WithText([](const RunRow& row, const CellStyle& style) {
            return ValueText(JoinedTags(row), style);
          }));
  spec.columns.push_back(Field<RunRow>(
      "note", kName, [](const RunRow& r) { return Text(r.run->info.note); },
      {.title = "note", .importance = 65, .least_width = 10, .presence = Presence::kAnyValue}));
  return spec;
}

std::vector<std::string> DifferingConfig(std::span<const RunRow> rows, const RunNames& names) {
  std::vector<std::string> differing;
  for (const std::string& name : names.config) {
    for (const RunRow& row : rows) {
      if (CompareDescending(ConfigOf(*rows[0].run, name), ConfigOf(*row.run, name)) == 0) continue;
      differing.push_back(name);
      break;
    }
  }
  return differing;
}

std::vector<RunField> UsualFields(std::span<const RunRow> rows, const RunNames& names) {
  // As many as a wide terminal has room for.
  constexpr size_t kMostConfig = 6, kMostMetrics = 6;
  std::vector<RunField> fields;
  const auto add = [&](const std::string& name) {
    if (Result<RunField> field = RunField::Find(name, names)) fields.push_back(std::move(*field));
  };
  std::vector<std::string> config = DifferingConfig(rows, names);
  if (config.size() > kMostConfig) config.resize(kMostConfig);
  std::map<std::string_view, size_t> runs_of;
  for (const RunRow& row : rows) {
    for (const MetricSummary& metric : row.run->metrics) ++runs_of[metric.tag];
  }
  std::vector<std::pair<size_t, std::string_view>> metrics;
  for (const auto& [tag, count] : runs_of) metrics.emplace_back(count, tag);
  // Those that most runs have, hardware last.
  std::ranges::stable_sort(metrics, [](const auto& a, const auto& b) {
    const auto is_system = [](std::string_view tag) {
      return tag.starts_with("system/") || tag.starts_with("monitor/");
    };
    if (is_system(a.second) != is_system(b.second)) return is_system(b.second);
    return a.first > b.first;
  });
  if (metrics.size() > kMostMetrics) metrics.resize(kMostMetrics);
  for (size_t i = 0; i < std::max(config.size(), metrics.size()); ++i) {
    // One of each in turn, so that a narrow table has both.
    if (i < config.size()) add(config[i]);
    if (i < metrics.size()) add("metrics." + std::string(metrics[i].second));
  }
  return fields;
}

std::vector<RunField> AllFields(const RunNames& names) {
  std::vector<RunField> fields;
  const auto add = [&](const std::string& name) {
    if (Result<RunField> field = RunField::Find(name, names)) fields.push_back(std::move(*field));
  };
  for (const std::string& name : names.config) add("config." + name);
  for (const std::string& tag : names.metrics) {
    for (const std::string_view part : {".last", ".min", ".max"}) {
      add("metrics." + tag + std::string(part));
    }
  }
  return fields;
}

std::string LongDuration(int64_t ns, const OutputStyle& style) {
  const int64_t seconds = ns / 1'000'000'000;
  if (seconds < 60) return FormatDuration(ns, style.unicode);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  if (seconds < 86400) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{} d {:02} h", seconds / 86400, seconds / 3600 % 24);
}

std::string MomentText(int64_t ns) {
  const int64_t seconds = ns / 1'000'000'000 - (ns % 1'000'000'000 < 0 ? 1 : 0);
  const std::chrono::sys_seconds moment{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(moment - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::string ValueText(const FieldValue& value, const OutputStyle& style) {
  if (std::holds_alternative<std::monostate>(value)) return Missing(style);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.6g}", *real);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  if (const auto* whole = std::get_if<int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* whole = std::get_if<uint64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* text = std::get_if<std::string>(&value)) return Printable(*text, style.unicode);
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return Printable(*text, style.unicode);
  }
  return {};
}

void SortRuns(std::vector<RunRow>& rows, const RunField& field, bool down) {
  // What is compared, made once for each run: a text may be long in the making.
  struct Place {
    enum class Kind : uint8_t { kNumber, kText, kMissing } kind = Kind::kMissing;
    double number = 0;
    std::string text;
    RunRow row;
  };
  std::vector<Place> places;
  places.reserve(rows.size());
  for (RunRow& row : rows) {
    Place place;
    const FieldValue value = field.Get(*row.run);
    const auto be_number = [&](double number) {
      if (std::isnan(number)) return;
      place.kind = Place::Kind::kNumber;
      place.number = number;
    };
    if (const auto* real = std::get_if<double>(&value)) {
      be_number(*real);
    } else if (const auto* whole = std::get_if<int64_t>(&value)) {
      be_number(static_cast<double>(*whole));
    } else if (const auto* count = std::get_if<uint64_t>(&value)) {
      be_number(static_cast<double>(*count));
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      be_number(*flag ? 1 : 0);
    } else if (!std::holds_alternative<std::monostate>(value)) {
      place.kind = Place::Kind::kText;
      place.text = ValueText(value, OutputStyle());
    }
    place.row = std::move(row);
    places.push_back(std::move(place));
  }
  std::ranges::stable_sort(places, [down](const Place& a, const Place& b) {
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.kind == Place::Kind::kNumber) return down ? a.number > b.number : a.number < b.number;
    return down ? a.text > b.text : a.text < b.text;
  });
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = std::move(places[i].row);
}

}  // namespace telltale
