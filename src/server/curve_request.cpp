// SPDX-License-Identifier: Apache-2.0
#include "server/curve_request.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/json/value.h"

namespace telltale {

namespace {

constexpr std::string_view kMagic = "TTP1";
constexpr size_t kMostCharts = 1000;
constexpr size_t kMostLines = 100'000;
constexpr size_t kLargestWidth = 20'000;

tl::unexpected<Error> Wrong(std::string message) {
  return Fail(ErrorCode::kUsage, std::move(message));
}

Result<void> ReadAxis(const JsonValue& json, CurveRequest& request) {
  if (json.IsNull()) return {};
  constexpr std::string_view kTag = "tag:";
  const std::string_view axis = json.AsString();
  if (axis == "step") {
    request.axis = CurveAxis::kStep;
  } else if (axis == "relative") {
    request.axis = CurveAxis::kRelative;
  } else if (axis == "wall") {
    request.axis = CurveAxis::kWall;
  } else if (axis.starts_with(kTag) && axis.size() > kTag.size()) {
    request.axis = CurveAxis::kTag;
    request.axis_tag = axis.substr(kTag.size());
  } else {
    return Wrong("x takes \"step\", \"relative\", \"wall\" or \"tag:NAME\"");
  }
  return {};
}

Result<void> ReadBound(const JsonValue& json, std::string_view name, std::optional<double>& bound) {
  if (json.IsNull()) return {};
  if (!json.IsNumber() || !std::isfinite(json.AsDouble())) {
    return Wrong(fmt::format("{} takes a number, or null for none", name));
  }
  bound = json.AsDouble();
  return {};
}

Result<void> ReadLooks(const JsonValue& json, CurveRequest& request) {
  if (const JsonValue& width = json["width"]; !width.IsNull()) {
    if (!width.IsNumber() || !(width.AsDouble() >= 1)) {
      return Wrong("width takes a number of pixels, at least 1");
    }
    request.width =
        static_cast<size_t>(std::min(width.AsDouble(), static_cast<double>(kLargestWidth)));
  }
  if (const JsonValue& smoothing = json["smoothing"]; !smoothing.IsNull()) {
    if (!smoothing.IsNumber() || !(smoothing.AsDouble() >= 0) || !(smoothing.AsDouble() < 1)) {
      return Wrong("smoothing takes a number from 0 to below 1");
    }
    request.smoothing = smoothing.AsDouble();
  }
  const JsonValue& hide = json["hide_overwritten"];
  request.hide_overwritten = hide.IsNull() || hide.AsBool();
  request.raw = json["raw"].AsBool();
  return {};
}

Result<void> ReadGroup(const JsonValue& json, CurveRequest& request) {
  if (json.IsNull()) return {};
  const std::string& by = json["by"].AsString();
  if (!json.IsObject() || (by != "none" && by != "all" && !by.starts_with("config."))) {
    return Wrong("group takes {\"by\": \"none\", \"all\" or \"config.NAME\", \"band\": …}");
  }
  if (by != "none") request.group_by = by;
  const std::string& band = json["band"].AsString();
  if (band == "deviation") {
    request.band = CurveBand::kDeviation;
  } else if (!json["band"].IsNull() && band != "minmax") {
    return Wrong("band takes \"minmax\" or \"deviation\"");
  }
  return {};
}

Result<void> ReadCharts(const JsonValue& json, CurveRequest& request) {
  if (!json.IsArray() || json.elements().size() > kMostCharts) {
    return Wrong(
        fmt::format("charts takes a list of at most {} charts, each {{\"tag\": …, "
                    "\"runs\": […]}}",
                    kMostCharts));
  }
  size_t lines = 0;
  for (const JsonValue& one : json.elements()) {
    CurveChart chart;
    chart.tag = one["tag"].AsString();
    if (!one["tag"].IsString() || !one["runs"].IsArray()) {
      return Wrong("a chart is {\"tag\": …, \"runs\": [ids…]}");
    }
    lines += one["runs"].elements().size();
    if (lines > kMostLines) {
      return Wrong(fmt::format("at most {} lines can be asked for at a time", kMostLines));
    }
    for (const JsonValue& run : one["runs"].elements()) chart.runs.push_back(run.AsString());
    request.charts.push_back(std::move(chart));
  }
  return {};
}

template <typename T>
void Append(T value, std::string& out) {
  static_assert(std::endian::native == std::endian::little);
  const char* const bytes = reinterpret_cast<const char*>(&value);
  out.append(bytes, sizeof(T));
}

void AppendColumn(const std::vector<double>& column, std::string& out) {
  out.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(double));
}

uint32_t Capped(uint64_t count) {
  return static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
}

}  // namespace

Result<CurveRequest> ReadCurveRequest(std::string_view body) {
  const Result<JsonValue> json = ParseJson(body);
  if (!json) return Wrong(json.error().message);
  if (!json->IsObject()) {
    return Wrong(R"(expected a body such as {"charts": [{"tag": "loss", "runs": ["k3f9a2c0"]}]})");
  }
  constexpr std::string_view kKnown[] = {
      "x", "from", "to", "width", "smoothing", "hide_overwritten", "charts", "group", "raw"};
  for (const auto& [key, value] : json->members()) {
    if (std::ranges::find(kKnown, key) == std::end(kKnown)) {
      return Wrong(
          fmt::format("there is no member \"{}\"; there are: {}", key, fmt::join(kKnown, ", ")));
    }
  }
  CurveRequest request;
  Result<void> read = ReadAxis((*json)["x"], request);
  if (read) read = ReadBound((*json)["from"], "from", request.from);
  if (read) read = ReadBound((*json)["to"], "to", request.to);
  if (read) read = ReadLooks(*json, request);
  if (read) read = ReadGroup((*json)["group"], request);
  if (read) read = ReadCharts((*json)["charts"], request);
  if (!read) return tl::unexpected(read.error());
  return request;
}

std::string CurveBytes(const std::vector<CurveLine>& lines) {
  std::string out(kMagic);
  Append(Capped(lines.size()), out);
  for (const CurveLine& line : lines) {
    Append(line.chart, out);
    Append(line.run, out);
    Append(Capped(line.x.size()), out);
    Append(Capped(line.total), out);
    Append(uint32_t{line.reduced ? 1U : 0U} | (line.has_band ? 2U : 0U), out);
    Append(Capped(line.points_of_tag), out);
  }
  // Numbers of eight bytes stand where such numbers may stand: heads are of 24, before them 8.
  for (const CurveLine& line : lines) {
    for (const auto* column : {&line.x, &line.y, &line.smoothed, &line.wall, &line.step}) {
      AppendColumn(*column, out);
    }
    if (!line.has_band) continue;
    AppendColumn(line.low, out);
    AppendColumn(line.high, out);
  }
  return out;
}

}  // namespace telltale
