// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cli/monitor_text.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/units.h"

namespace telltale {

namespace {

constexpr size_t kKept = 600;  // wider than any terminal
constexpr size_t kRemembered = 40;
constexpr size_t kLabel = 13;
constexpr size_t kLeastWidth = 30;  // the terminal cuts what a narrower one cannot show
constexpr double kAlarming = 0.9;   // of memory

struct Row {
  std::string label;
  std::optional<double> share;  // of the bar
  std::string text;
  const MonitorPast::Series* past = nullptr;
  double past_full = 0;  // what fills the line of the past; 0: its largest value
  bool is_alarming = false;
};

std::string Bytes(double bytes) { return FormatBytes(std::llround(bytes)); }

// What `width` columns show of a share: full blocks and a part of one.
std::string Bar(double share, size_t width, bool unicode) {
  share = std::clamp(share, 0.0, 1.0);
  if (!unicode) {
    const auto full = static_cast<size_t>(std::lround(share * static_cast<double>(width)));
    return std::string(full, '#') + std::string(width - full, '.');
  }
  static constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(std::lround(share * 8 * static_cast<double>(width)));
  std::string out;
  size_t columns = eighths / 8;
  for (size_t i = 0; i < columns; ++i) out += "█";
  if (eighths % 8 != 0) {
    out += kParts[eighths % 8];
    ++columns;
  }
  for (; columns < width; ++columns) out += "·";
  return out;
}

std::string Past(const MonitorPast::Series& series, double full, size_t width, bool unicode) {
  static constexpr std::array<std::string_view, 9> kHeights = {" ", "▁", "▂", "▃", "▄",
                                                               "▅", "▆", "▇", "█"};
  static constexpr std::string_view kPlain = " .:-=+*#@";
  const size_t count = std::min(width, series.values.size());
  const auto begin = series.values.end() - static_cast<std::ptrdiff_t>(count);
  if (full <= 0) {
    for (auto value = begin; value != series.values.end(); ++value) {
      if (*value > full) full = *value;
    }
  }
  std::string out(width - count, ' ');
  for (auto value = begin; value != series.values.end(); ++value) {
    size_t height = 0;
    if (std::isfinite(*value) && full > 0) {
      height = static_cast<size_t>(std::lround(std::clamp(*value / full, 0.0, 1.0) * 8));
      if (height == 0 && *value > 0) height = 1;
    }
    out += unicode ? kHeights[height] : kPlain.substr(height, 1);
  }
  return out;
}

// The parts of the machine, in the order in which one looks for a reason.
class RowBuilder {
 public:
  RowBuilder(const MonitorPast& past, bool unicode) : past_(past), unicode_(unicode) {}

  [[nodiscard]] std::vector<Row> Build(const MonitorPageState& state) {
    Cpu();
    if (state.shows_cores) cores_at_ = rows_.size();
    Memory();
    Process();
    for (const MonitoredDevice& device : state.devices) Gpu(device.device);
    Cgroup();
    Traffic();
    Pressure();
    Rapl();
    return std::move(rows_);
  }
  [[nodiscard]] std::optional<size_t> cores_at() const { return cores_at_; }

 private:
  [[nodiscard]] std::optional<double> Get(std::string_view device, std::string_view name) const {
    return past_.Latest(fmt::format("monitor/{}/{}", device, name));
  }
  [[nodiscard]] const MonitorPast::Series* Series(std::string_view device,
                                                  std::string_view name) const {
    return past_.Find(fmt::format("monitor/{}/{}", device, name));
  }
  [[nodiscard]] std::string Shown(double value, MetricUnit unit) const {
    return FormatReading(value, unit, unicode_);
  }

  void Cpu() {
    const auto busy = Get("cpu", "system_percent");
    if (!busy) return;
    const double cores = Get("cpu", "online_cores").value_or(0);
    Row row{"cpu", *busy / 100, Shown(*busy, MetricUnit::kPercent), Series("cpu", "system_percent"),
            100};
    row.text += fmt::format(" of {:.0f} core{}", cores, cores == 1 ? "" : "s");
    const double steal = Get("cpu", "steal_percent").value_or(0);
    const double wait = Get("cpu", "iowait_percent").value_or(0);
    if (steal >= 1) row.text += fmt::format(", stolen {:.0f} %", steal);
    if (wait >= 1) row.text += fmt::format(", disk wait {:.0f} %", wait);
    rows_.push_back(std::move(row));
  }

  void OfTotal(std::string label, std::string_view device, std::string_view used_name,
               std::string_view total_name) {
    const auto used = Get(device, used_name);
    const auto total = Get(device, total_name);
    if (!used) return;
    Row row{std::move(label), std::nullopt, Bytes(*used), Series(device, used_name)};
    if (total && *total > 0) {
      row.share = *used / *total;
      row.text += fmt::format(" of {}", Bytes(*total));
      row.past_full = *total;
      row.is_alarming = *row.share >= kAlarming;
    }
    rows_.push_back(std::move(row));
  }

  void Memory() {
    OfTotal("memory", "memory", "used_bytes", "total_bytes");
    OfTotal("swap", "swap", "used_bytes", "total_bytes");
  }

  void Process() {
    const auto busy = Get("process", "cpu_percent");
    if (!busy) return;
    const double cores = std::max(1.0, Get("cpu", "online_cores").value_or(1));
    const double count = Get("process", "processes").value_or(0);
    Row row{"process", *busy / 100 / cores, Shown(*busy, MetricUnit::kPercent),
            Series("process", "cpu_percent"), 100 * cores};
    row.text += fmt::format(", {:.0f} process{}", count, count == 1 ? "" : "es");
    if (const auto threads = Get("process", "threads")) {
      row.text += fmt::format(", {:.0f} threads", *threads);
    }
    rows_.push_back(std::move(row));
    const double rss = Get("process", "rss_bytes").value_or(0);
    const double total = Get("memory", "total_bytes").value_or(0);
    Row memory{"  memory", std::nullopt, Bytes(rss), Series("process", "rss_bytes")};
    if (total > 0) memory.share = rss / total;
    if (const auto pss = Get("process", "pss_bytes")) {
      memory.text += fmt::format(", shared once {}", Bytes(*pss));
    }
    rows_.push_back(std::move(memory));
    Rates("  disk", "process", "read_bytes_per_s", "write_bytes_per_s", "read", "write");
  }

  void Gpu(const std::string& device) {
    if (const auto busy = Get(device, "utilization_percent")) {
      Row row{device, *busy / 100, Shown(*busy, MetricUnit::kPercent),
              Series(device, "utilization_percent"), 100};
      for (const auto& [name, unit] : {std::pair{"power_watts", MetricUnit::kWatts},
                                       std::pair{"temperature_celsius", MetricUnit::kCelsius},
                                       std::pair{"clock_mhz", MetricUnit::kMegahertz}}) {
        if (const auto value = Get(device, name)) row.text += ", " + Shown(*value, unit);
      }
      if (Get(device, "throttled").value_or(0) > 0) {
        row.text += ", throttled";
        row.is_alarming = true;
      }
      rows_.push_back(std::move(row));
    }
    OfTotal("  memory", device, "memory_used_bytes", "memory_total_bytes");
    if (const auto joules = Get(device, "energy_joules")) {
      rows_.push_back({"  energy", std::nullopt, Shown(*joules, MetricUnit::kJoules),
                       Series(device, "power_watts"),
                       Get(device, "power_limit_watts").value_or(0)});
    }
  }

  void Cgroup() {
    const auto used = Get("cgroup", "cpu_cores");
    if (const auto limit = Get("cgroup", "cpu_limit_cores"); used && limit && *limit > 0) {
      const double throttled = Get("cgroup", "throttled_periods_percent").value_or(0);
      rows_.push_back({"limit cpu", *used / *limit,
                       fmt::format("{:.2f} of {:g} cores, stopped in {:.0f} % of periods", *used,
                                   *limit, throttled),
                       Series("cgroup", "cpu_cores"), *limit, throttled > 0});
    }
    if (Get("cgroup", "memory_limit_bytes")) {
      OfTotal("limit memory", "cgroup", "memory_bytes", "memory_limit_bytes");
      if (const double kills = Get("cgroup", "oom_kills").value_or(0); kills > 0) {
        rows_.back().text += fmt::format(", {:.0f} killed", kills);
        rows_.back().is_alarming = true;
      }
    }
  }

  void Rates(std::string label, std::string_view device, std::string_view in, std::string_view out,
             std::string_view in_word, std::string_view out_word) {
    const auto received = Get(device, in);
    const auto sent = Get(device, out);
    if (!received || !sent) return;
    rows_.push_back(
        {std::move(label), std::nullopt,
         fmt::format("{} {}/s, {} {}/s", in_word, Bytes(*received), out_word, Bytes(*sent)),
         Series(device, *received >= *sent ? in : out)});
  }

  void Traffic() {
    for (const MonitorPast::Series& series : past_.series()) {
      if (series.metric == Metric::kDiskRead) {
        const size_t before = rows_.size();
        Rates(series.device.substr(5), series.device, "read_bytes_per_s", "write_bytes_per_s",
              "read", "write");
        if (const auto busy = Get(series.device, "busy_percent"); busy && rows_.size() > before) {
          rows_.back().share = *busy / 100;
        }
      } else if (series.metric == Metric::kNetReceived) {
        Rates(series.device.substr(4), series.device, "received_bytes_per_s", "sent_bytes_per_s",
              "in", "out");
      }
    }
  }

  void Pressure() {
    const auto cpu = Get("pressure", "cpu_some_percent");
    const auto memory = Get("pressure", "memory_some_percent");
    const auto io = Get("pressure", "io_some_percent");
    if (!cpu || !memory || !io) return;
    rows_.push_back(
        {"waiting", std::nullopt,
         fmt::format("cpu {:.1f} %, memory {:.1f} %, disk {:.1f} %", *cpu, *memory, *io),
         Series("pressure", "cpu_some_percent"), 100});
  }

  void Rapl() {
    for (const MonitorPast::Series& series : past_.series()) {
      if (series.metric != Metric::kRaplPower) continue;
      const auto watts = series.latest();
      if (!watts) continue;
      rows_.push_back(
          {series.device.substr(5), std::nullopt, Shown(*watts, MetricUnit::kWatts), &series});
    }
  }

  const MonitorPast& past_;
  bool unicode_;
  std::vector<Row> rows_;
  std::optional<size_t> cores_at_;
};

// As many cores in a line as fit.
std::vector<std::string> CoreLines(const MonitorPast& past, const OutputStyle& style) {
  constexpr size_t kCell = 24;  // " 12 ████████████  56 %  "
  const size_t columns = std::max<size_t>(1, (style.width - 2) / kCell);
  std::vector<std::string> lines;
  size_t in_line = columns;
  for (const MonitorPast::Series& series : past.series()) {
    if (series.metric != Metric::kCpuCore) continue;
    const auto busy = series.latest();
    if (!busy) continue;
    if (in_line == columns) {
      lines.emplace_back("  ");
      in_line = 0;
    }
    ++in_line;
    // core12_percent
    const std::string number = series.name.substr(4, series.name.find('_') - 4);
    lines.back() += PadLeft(number, 3) + " " +
                    Paint(Ink::kKernel, Bar(*busy / 100, 12, style.unicode), style) +
                    fmt::format(" {:3.0f} %  ", *busy);
  }
  return lines;
}

std::string RowLine(const Row& row, const OutputStyle& style) {
  const size_t bar = std::clamp<size_t>(style.width / 5, 8, 40);
  std::string line = Paint(
      Ink::kBold, PadRight(ShortenMiddle(row.label, kLabel - 1, style.unicode), kLabel), style);
  size_t left = style.width - kLabel;
  if (left < bar + 12) return line + ShortenMiddle(row.text, left, style.unicode);
  if (row.share) {
    line += Paint(row.is_alarming ? Ink::kBad : Ink::kKernel, Bar(*row.share, bar, style.unicode),
                  style);
  } else {
    line += std::string(bar, ' ');
  }
  line += "  ";
  left -= bar + 2;
  // Numbers first; the past gets what is left.
  constexpr size_t kNumbers = 40;
  constexpr size_t kManyNumbers = 54;  // a GPU's, with its temperature and clock
  const size_t numbers = left >= 2 * kManyNumbers ? kManyNumbers : kNumbers;
  const size_t past = left >= numbers + 6 ? left - numbers : 0;
  const size_t text = past == 0 ? left : numbers - 2;
  const std::string shown = ShortenMiddle(row.text, text, style.unicode);
  line += row.is_alarming ? Paint(Ink::kBad, shown, style) : shown;
  if (past == 0 || row.past == nullptr) return line;
  line += std::string(text - DisplayWidth(shown) + 2, ' ');
  return line + Paint(Ink::kInput, Past(*row.past, row.past_full, past, style.unicode), style);
}

}  // namespace

std::optional<double> MonitorPast::Series::latest() const {
  const size_t count = std::min(values.size(), kRemembered);
  for (size_t i = 0; i < count; ++i) {
    if (const double value = values[values.size() - 1 - i]; std::isfinite(value)) return value;
  }
  return std::nullopt;
}

void MonitorPast::Add(const Monitor& monitor, std::span<const MonitorReading> readings) {
  while (series_.size() < monitor.series().size()) {
    const MonitorSeries& series = monitor.series()[series_.size()];
    series_.push_back({series.tag,
                       std::string(series.device),
                       std::string(series.name),
                       series.spec->metric,
                       {}});
  }
  for (Series& series : series_) {
    series.values.push_back(std::numeric_limits<double>::quiet_NaN());
    if (series.values.size() > kKept) series.values.pop_front();
  }
  for (const MonitorReading& reading : readings) {
    series_[reading.series].values.back() = reading.value;
  }
}

const MonitorPast::Series* MonitorPast::Find(std::string_view tag) const {
  const auto found = std::ranges::find(series_, tag, &Series::tag);
  return found == series_.end() ? nullptr : &*found;
}

std::optional<double> MonitorPast::Latest(std::string_view tag) const {
  const Series* series = Find(tag);
  return series == nullptr ? std::nullopt : series->latest();
}

std::vector<std::string> MonitorPage(const MonitorPast& past, const MonitorPageState& state,
                                     const OutputStyle& asked, size_t height) {
  OutputStyle style = asked;
  style.width = std::max(style.width, kLeastWidth);
  const std::string_view dot = style.unicode ? " · " : " | ";
  const auto fit = [&](const std::string& text) {
    return ShortenMiddle(Printable(text, style.unicode), style.width, style.unicode);
  };
  std::vector<std::string> lines;
  lines.push_back(Paint(
      Ink::kBold,
      fit(fmt::format("telltale monitor{}{}{}{}{}every {}{}", dot, state.host, dot, state.time, dot,
                      state.interval, state.is_paused ? fmt::format("{}paused", dot) : "")),
      style));
  lines.emplace_back();
  RowBuilder builder(past, style.unicode);
  const std::vector<Row> rows = builder.Build(state);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (builder.cores_at() == i) {
      for (std::string& line : CoreLines(past, style)) lines.push_back(std::move(line));
    }
    lines.push_back(RowLine(rows[i], style));
  }
  if (rows.empty()) lines.emplace_back("nothing was read yet");
  // What is not here, where there is room for all of it.
  if (lines.size() + state.lacking.size() + 3 <= height) {
    lines.emplace_back();
    for (const std::string& sentence : state.lacking) {
      lines.push_back(Paint(Ink::kDim, fit(sentence), style));
    }
  }
  const std::string keys = "q quit   space pause   1 cores";
  if (height == 0) return {};
  if (lines.size() + 1 > height) {
    const size_t hidden = lines.size() + 1 - height;
    lines.resize(height - 1);
    lines.push_back(Paint(
        Ink::kDim, fit(fmt::format("{}   {} more lines in a taller window", keys, hidden)), style));
    return lines;
  }
  lines.resize(height - 1);
  lines.push_back(Paint(Ink::kDim, fit(keys), style));
  return lines;
}

}  // namespace telltale
