// SPDX-License-Identifier: Apache-2.0
#include "formats/logged_values.h"

#include <cmath>
#include <limits>
#include <utility>

namespace telltale {

namespace {

// "image-file" of W&B and "trackio.image" alike.
std::string_view PluginOf(std::string_view type) {
  const auto has = [&](std::string_view word) { return type.find(word) != std::string_view::npos; };
  if (has("image")) return "images";
  if (has("audio")) return "audio";
  if (has("video")) return "video";
  if (has("histogram")) return "histograms";
  if (has("table")) return "table";
  if (has("html")) return "html";
  return "object";
}

// The number that a text stands for where a tracker writes such numbers as texts.
bool IsNumberText(std::string_view text, double& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return value = std::nan(""), true;
  if (text == "Infinity") return value = kInfinity, true;
  if (text == "-Infinity") return value = -kInfinity, true;
  return false;
}

}  // namespace

void LoggedValues::Point(std::string_view tag, int64_t step, double wall_time, double value) {
  const uint32_t number = series.FindOrAdd(tag, "scalars");
  series.tags[number].scalars.Append(step, wall_time, value);
  series.SeeWallTime(wall_time);
}

void LoggedValues::Keep(std::string_view tag, std::string_view plugin, int64_t step,
                        double wall_time, LoggedValue value) {
  const size_t bytes = value.json.size() + value.file.size();
  if (bytes > kMostText || kept_bytes_ + bytes > kMostTexts) {
    series.diagnostics.Add(DiagnosticKind::kOversizedValue, std::nullopt);
    return;
  }
  kept_bytes_ += bytes;
  const uint32_t number = series.FindOrAdd(tag, plugin);
  series.tags[number].values.push_back({step, wall_time, 0, bytes});
  values[number].push_back(std::move(value));
  series.SeeWallTime(wall_time);
}

void LoggedValues::LogValue(const std::string& tag, int64_t step, double wall_time,
                            const JsonValue& value) {  // NOLINT(misc-no-recursion): bounded depth
  using Kind = JsonValue::Kind;
  switch (value.kind()) {
    case Kind::kNull:
      return;
    case Kind::kBool:
      return Point(tag, step, wall_time, value.AsBool() ? 1 : 0);
    case Kind::kInt:
    case Kind::kDouble:
      return Point(tag, step, wall_time, value.AsDouble());
    case Kind::kString: {
      double number = 0;
      if (IsNumberText(value.AsString(), number)) return Point(tag, step, wall_time, number);
      return Keep(tag, "text", step, wall_time, {ToJsonText(value), {}});
    }
    case Kind::kArray:
      return Keep(tag, "text", step, wall_time, {ToJsonText(value), {}});
    case Kind::kObject:
      break;
  }
  const JsonValue& type = value["_type"];
  if (!type.IsString()) return LogObject(tag + ".", step, wall_time, value);
  const std::string_view plugin = PluginOf(type.AsString());
  // Several files at once: each is a value.
  if (!value["filenames"].elements().empty()) {
    for (const JsonValue& file : value["filenames"].elements()) {
      Keep(tag, plugin, step, wall_time, {ToJsonText(value), file.AsString()});
    }
    return;
  }
  std::string file = value["path"].AsString();
  if (file.empty()) file = value["file_path"].AsString();
  Keep(tag, plugin, step, wall_time, {ToJsonText(value), std::move(file)});
}

// NOLINTNEXTLINE(misc-no-recursion): bounded depth
void LoggedValues::LogObject(std::string_view prefix, int64_t step, double wall_time,
                             const JsonValue& object) {
  for (const auto& [key, value] : object.members()) {
    LogValue(std::string(prefix) + key, step, wall_time, value);
  }
}

void LoggedValues::Log(int64_t step, double wall_time, const JsonValue& record) {
  LogObject({}, step, wall_time, record);
}

}  // namespace telltale
