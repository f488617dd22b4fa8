// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/units.h"

namespace telltale {

namespace {

std::string Bytes(double bytes) { return FormatBytes(std::llround(bytes)); }

// Three digits, whatever the size.
std::string Short(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2);
}

void AppendPart(std::string& line, std::string_view name, const std::string& value) {
  line += fmt::format("  {} {}", name, value);
}

}  // namespace

std::string FormatReading(double value, MetricUnit unit, bool unicode) {
  switch (unit) {
    case MetricUnit::kPercent:
      return fmt::format("{:.1f} %", value);
    case MetricUnit::kBytes:
      return Bytes(value);
    case MetricUnit::kBytesPerSecond:
      return Bytes(value) + "/s";
    case MetricUnit::kPerSecond:
      return Short(value) + "/s";
    case MetricUnit::kCores:
    case MetricUnit::kCount:
      return value == std::floor(value) ? FormatCount(std::llround(value)) : Short(value);
    case MetricUnit::kSeconds:
      return Short(value) + " s";
    case MetricUnit::kWatts:
      return Short(value) + " W";
    case MetricUnit::kJoules:
      return value >= 3600 ? Short(value / 3600) + " Wh" : Short(value) + " J";
    case MetricUnit::kCelsius:
      return fmt::format("{:.0f} {}C", value, unicode ? "°" : "");
    case MetricUnit::kMegahertz:
      return fmt::format("{:.0f} MHz", value);
  }
  return Short(value);
}

std::string FormatUtc(int64_t wall_ns) {
  const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::optional<double> FindReading(std::span<const MonitorReading> readings, std::string_view tag) {
  const auto found = std::ranges::find(readings, tag, &MonitorReading::tag);
  return found == readings.end() ? std::nullopt : std::optional(found->value);
}

std::string SampleLine(const Monitor& monitor, std::span<const MonitorReading> readings,
                       int64_t wall_ns, bool unicode) {
  std::string line = FormatUtc(wall_ns);
  const auto find = [&](std::string_view tag) { return FindReading(readings, tag); };
  const auto percent = [&](double value) {
    return FormatReading(value, MetricUnit::kPercent, unicode);
  };
  if (const auto cpu = find("monitor/cpu/system_percent")) AppendPart(line, "cpu", percent(*cpu));
  if (const auto used = find("monitor/memory/used_bytes")) {
    AppendPart(line, "memory", Bytes(*used));
  }
  if (const auto cpu = find("monitor/process/cpu_percent")) {
    AppendPart(line, "process", percent(*cpu));
    if (const auto rss = find("monitor/process/rss_bytes")) line += " " + Bytes(*rss);
  }
  for (const MonitoredDevice& device : monitor.devices()) {
    const auto of = [&](std::string_view name) {
      return find(fmt::format("monitor/{}/{}", device.device, name));
    };
    if (const auto busy = of("utilization_percent"))
      AppendPart(line, device.device, percent(*busy));
    if (const auto used = of("memory_used_bytes")) line += " " + Bytes(*used);
    if (const auto watts = of("power_watts")) {
      line += " " + FormatReading(*watts, MetricUnit::kWatts, unicode);
    }
  }
  // All disks, all interfaces.
  std::array<double, 4> sums{};
  std::array<bool, 4> has{};
  for (const MonitorReading& reading : readings) {
    const Metric metric = monitor.series()[reading.series].spec->metric;
    const size_t i = metric == Metric::kDiskRead      ? 0
                     : metric == Metric::kDiskWritten ? 1
                     : metric == Metric::kNetReceived ? 2
                     : metric == Metric::kNetSent     ? 3
                                                      : 4;
    if (i == 4) continue;
    sums[i] += reading.value;
    has[i] = true;
  }
  if (has[0]) AppendPart(line, "disk", fmt::format("{}/s {}/s", Bytes(sums[0]), Bytes(sums[1])));
  if (has[2]) AppendPart(line, "net", fmt::format("{}/s {}/s", Bytes(sums[2]), Bytes(sums[3])));
  return line;
}

std::string SampleJson(const Monitor& monitor, std::span<const MonitorReading> readings,
                       int64_t wall_ns, bool is_first) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("time", std::floor(static_cast<double>(wall_ns) * 1e-6) / 1000);
  json.Field("seconds", monitor.elapsed_s());
  json.Key("readings");
  json.BeginObject();
  for (const MonitorReading& reading : readings) json.Field(reading.tag, reading.value);
  json.EndObject();
  if (is_first) {
    json.Key("devices");
    json.BeginObject();
    for (const MonitoredDevice& device : monitor.devices()) {
      json.Field(device.device, RepairUtf8(device.name));
    }
    json.EndObject();
    json.Key("lacking");
    json.BeginArray();
    for (const std::string& sentence : monitor.lacking()) json.String(RepairUtf8(sentence));
    json.EndArray();
  }
  json.EndObject();
  return json.Take();
}

std::string UsageText(const UsageSummary& summary, const CommandEnd* end,
                      const OutputStyle& style) {
  std::string out;
  if (end != nullptr) {
    const std::string how = end->signal != 0 ? fmt::format("killed by signal {}", end->signal)
                                             : fmt::format("exit code {}", end->exit_code);
    out += fmt::format("{} after {}: {} of processor time, largest process {}\n", how,
                       FormatDuration(end->wall_ns, style.unicode),
                       FormatDuration(end->processor_ns, style.unicode),
                       FormatBytes(end->largest_bytes));
  }
  struct Line {
    std::string_view device;
    std::string_view metric;
    std::string mean;
    std::string most;
  };
  const std::vector<UsageRow> rows = summary.Rows();
  std::vector<Line> lines;
  std::array<size_t, 4> widths = {6, 6, 4, 3};  // of the headings
  std::string_view device;
  for (const UsageRow& row : rows) {
    const auto spec = std::ranges::find_if(
        Metrics(), [&](const MetricSpec& each) { return UnitName(each.unit) == row.unit; });
    const MetricUnit unit = spec == Metrics().end() ? MetricUnit::kCount : spec->unit;
    Line line{row.device == device ? std::string_view() : row.device, row.metric,
              FormatReading(row.mean, unit, style.unicode),
              FormatReading(row.most, unit, style.unicode)};
    device = row.device;
    widths[0] = std::max(widths[0], row.device.size());
    widths[1] = std::max(widths[1], line.metric.size());
    widths[2] = std::max(widths[2], DisplayWidth(line.mean));
    widths[3] = std::max(widths[3], DisplayWidth(line.most));
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return out;
  out += Paint(Ink::kBold,
               PadRight("device", widths[0] + 2) + PadRight("metric", widths[1] + 2) +
                   PadLeft("mean", widths[2]) + "  " + PadLeft("max", widths[3]),
               style);
  out += '\n';
  for (const Line& line : lines) {
    out += PadRight(line.device, widths[0] + 2) + PadRight(line.metric, widths[1] + 2) +
           PadLeft(line.mean, widths[2]) + "  " + PadLeft(line.most, widths[3]) + "\n";
  }
  return out;
}

std::string UsageJson(const UsageSummary& summary, const CommandEnd* end) {
  JsonWriter json(false);
  json.BeginObject();
  if (end != nullptr) {
    json.Field("exit_code", end->exit_code);
    json.Key("signal");
    if (end->signal != 0) {
      json.Int(end->signal);
    } else {
      json.Null();
    }
    json.Field("wall_ns", end->wall_ns);
    json.Field("processor_ns", end->processor_ns);
    json.Field("largest_process_bytes", end->largest_bytes);
  }
  json.Key("usage");
  json.BeginArray();
  for (const UsageRow& row : summary.Rows()) {
    json.BeginObject();
    json.Field("device", row.device);
    json.Field("metric", row.metric);
    json.Field("unit", row.unit);
    json.Field("mean", row.mean);
    json.Field("max", row.most);
    json.Field("seconds", row.seconds);
    json.Field("samples", row.samples);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace telltale
