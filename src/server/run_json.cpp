// SPDX-License-Identifier: Apache-2.0
#include "server/run_json.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"

namespace telltale {

namespace {

// A time since 1970 does not fit a JavaScript number.
std::optional<std::string> Digits(const std::optional<int64_t>& ns) {
  return ns ? std::optional(std::to_string(*ns)) : std::nullopt;
}

std::optional<std::string> Repaired(const std::optional<std::string>& text) {
  return text ? std::optional(RepairUtf8(*text)) : std::nullopt;
}

}  // namespace

Spark SparkOf(const TagSeries& series) {
  const uint64_t points = series.points();
  const size_t count = static_cast<size_t>(std::min<uint64_t>(points, kSparkPoints));
  Spark spark;
  size_t piece = 0;
  uint64_t before = 0;  // points of earlier pieces
  for (size_t i = 0; i < count; ++i) {
    const uint64_t at = count == 1 ? 0 : (points - 1) * i / (count - 1);
    while (at - before >= series.pieces[piece].tag->scalars.size()) {
      before += series.pieces[piece].tag->scalars.size();
      ++piece;
    }
    const double value = series.pieces[piece].tag->scalars[at - before].value;
    spark.push_back(std::isfinite(value) ? std::optional(value) : std::nullopt);
  }
  return spark;
}

void WriteMetric(const MetricSummary& metric, const Spark* spark, JsonWriter& json) {
  json.BeginObject();
  json.Field("points", metric.points);
  json.Field("first_step", metric.first_step);
  json.Field("last_step", metric.last_step);
  json.Key("last");
  WriteNumber(metric.last, json);
  const auto extreme = [&](std::string_view key, const std::optional<double>& value) {
    json.Key(key);
    value ? WriteNumber(*value, json) : json.Null();
  };
  extreme("min", metric.min);
  json.Field("min_step", metric.min ? std::optional(metric.min_step) : std::nullopt);
  extreme("max", metric.max);
  json.Field("max_step", metric.max ? std::optional(metric.max_step) : std::nullopt);
  if (spark != nullptr) {
    json.Key("spark");
    json.BeginArray();
    for (const std::optional<double>& value : *spark) value ? json.Double(*value) : json.Null();
    json.EndArray();
  }
  json.EndObject();
}

void WriteRunFields(const ListedRun& listed, JsonWriter& json) {
  const RunInfo& run = listed.info;
  json.Field("id", run.id);
  json.Field("name", RepairUtf8(run.name));
  json.Field("title", RepairUtf8(listed.title.value_or(run.name)));
  json.Field("path", RepairUtf8(run.path));
  json.Field("kind", NameOf(run.kind));
  json.Field("experiment", Repaired(run.experiment));
  json.Field("group", Repaired(run.group));
  json.Field("status", run.status ? std::optional(NameOf(*run.status)) : std::nullopt);
  json.Field("start_ns", Digits(run.start_ns));
  json.Field("end_ns", Digits(run.end_ns));
  json.Field("duration_ns", listed.duration_ns);
  json.Key("config");
  json.BeginObject();
  for (const auto& [name, value] : run.config) {
    json.Key(RepairUtf8(name));
    WriteConfigValue(value, json);
  }
  json.EndObject();
  json.Key("tags");
  json.BeginArray();
  for (const std::string& tag : run.tags) json.String(RepairUtf8(tag));
  json.EndArray();
  json.Field("note", Repaired(run.note));
  json.Field("color", run.color.empty() ? std::nullopt : std::optional(RepairUtf8(run.color)));
  json.Field("pinned", run.pinned);
  json.Field("hidden", run.hidden);
  json.Field("deleted", run.deleted);
}

}  // namespace telltale
