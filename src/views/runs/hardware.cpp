// SPDX-License-Identifier: Apache-2.0
#include "views/runs/hardware.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/digits.h"
#include "runs/find_logs.h"
#include "runs/trace_name.h"
#include "views/render/units.h"

namespace telltale {

namespace {

constexpr double kJoulesPerWattHour = 3600;

struct UnitEnding {
  std::string_view ending;
  HardwareUnit unit;
};
// The longest first.
constexpr std::array<UnitEnding, 21> kEndings = {{
    {"_bytes_per_second", HardwareUnit::kBytesPerSecond},
    {"_bytes_per_s", HardwareUnit::kBytesPerSecond},
    {"_megahertz", HardwareUnit::kMegahertz},
    {"_bytes_s", HardwareUnit::kBytesPerSecond},
    {"_celsius", HardwareUnit::kCelsius},
    {"_percent", HardwareUnit::kPercent},
    {"_seconds", HardwareUnit::kSeconds},
    {"_joules", HardwareUnit::kJoules},
    {"_watts", HardwareUnit::kWatts},
    {"_bytes", HardwareUnit::kBytes},
    {"_cores", HardwareUnit::kCores},
    {"_per_s", HardwareUnit::kPerSecond},
    {"_watt", HardwareUnit::kWatts},
    {"_mhz", HardwareUnit::kMegahertz},
    {"_bps", HardwareUnit::kBytesPerSecond},
    {"_pct", HardwareUnit::kPercent},
    {"_bs", HardwareUnit::kBytesPerSecond},
    {"_w", HardwareUnit::kWatts},
    {"_j", HardwareUnit::kJoules},
    {"_c", HardwareUnit::kCelsius},
    {"_s", HardwareUnit::kSeconds},
}};

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return IsDigit(c); });
}

// "gpu" is "GPU", "memory" is "Memory".
std::string Titled(std::string_view word) {
  constexpr std::array<std::string_view, 14> kShort = {"cpu", "gpu",  "ram", "rss", "pss",
                                                       "sm",  "pcie", "io",  "uss", "psi",
                                                       "tx",  "rx",   "npu", "nvme"};
  std::string out(word);
  const bool is_short = std::ranges::find(kShort, word) != kShort.end();
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '_') out[i] = ' ';
    if (out[i] >= 'a' && out[i] <= 'z' && (is_short || i == 0)) {
      out[i] = static_cast<char>(out[i] - 'a' + 'A');
    }
  }
  return out;
}

// "gpu0" is "GPU 0", "disk_sda" is "Disk sda": a kind, and which of them.
std::string DeviceTitle(std::string_view part) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds = {
      {{"disk_", "Disk"}, {"net_", "Network"}, {"rapl_", "RAPL"}, {"cgroup", "Control group"}}};
  for (const auto& [prefix, title] : kKinds) {
    if (!part.starts_with(prefix)) continue;
    std::string rest(part.substr(prefix.size()));
    std::ranges::replace(rest, '_', ' ');
    return rest.empty() ? std::string(title) : fmt::format("{} {}", title, rest);
  }
  const size_t digits = part.find_first_of("0123456789");
  if (digits != 0 && digits != std::string_view::npos && IsNumber(part.substr(digits))) {
    return fmt::format("{} {}", Titled(part.substr(0, digits)), part.substr(digits));
  }
  return Titled(part);
}

std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

// What a chart of a device is about; nothing where the device says it.
std::string_view TitleOf(const HardwareTag& what) {
  switch (what.unit) {
    case HardwareUnit::kPercent:
      return what.device.starts_with("CPU") || what.device.starts_with("GPU") ||
                     what.device.starts_with("Disk") || what.device.starts_with("Process")
                 ? "busy"
                 : "";
    case HardwareUnit::kBytes:
      return what.device == "Memory" || what.device == "Swap" ? "size"
             : what.device.starts_with("Disk")                ? "room"
                                                              : "memory";
    case HardwareUnit::kBytesPerSecond:
      return "transfer";
    case HardwareUnit::kWatts:
      return "power";
    case HardwareUnit::kCelsius:
      return "temperature";
    case HardwareUnit::kMegahertz:
      return "clocks";
    case HardwareUnit::kCores:
      return "cores";
    case HardwareUnit::kPerSecond:
      return "events";
    case HardwareUnit::kJoules:
    case HardwareUnit::kSeconds:
      return "";
    case HardwareUnit::kNone:
      return "counts";
  }
  return "";
}

struct Measured {
  std::string tag;
  HardwareTag what;
  SeriesSummary numbers;
};

// CPU first, then GPUs, memory, the rest by name; cores behind all else.
int OrderOf(const HardwareTag& what) {
  if (what.is_core) return 9;
  if (what.device.starts_with("CPU")) return 0;
  if (what.device.starts_with("GPU")) return 1;
  if (what.device.starts_with("Process")) return 2;
  if (what.device.starts_with("Memory")) return 3;
  return 4;
}

bool IsBusy(const Measured& one, std::string_view device) {
  const HardwareTag& what = one.what;
  if (what.unit != HardwareUnit::kPercent || what.is_core || !what.device.starts_with(device)) {
    return false;
  }
  return one.tag.find("util") != std::string::npos || one.tag.find("system") != std::string::npos ||
         one.tag.find("busy") != std::string::npos || what.metric.empty();
}

std::string WithRank(const HardwareTag& what) {
  return what.rank ? fmt::format("Rank {}, {}", *what.rank, what.device) : what.device;
}

// By device and unit; cores of one device together.
std::vector<HardwareChart> ChartsOf(const std::vector<Measured>& measured) {
  std::vector<HardwareChart> charts;
  std::map<std::tuple<std::string, HardwareUnit, bool>, size_t> places;
  std::vector<double> largest;
  std::vector<HardwareUnit> units;
  for (const Measured& one : measured) {
    const HardwareTag& what = one.what;
    if (what.is_counter || what.is_limit) continue;
    const std::string device = what.is_core ? std::string("CPU cores") : WithRank(what);
    const auto [at, is_new] = places.try_emplace({device, what.unit, what.is_core}, charts.size());
    if (is_new) {
      const std::string_view title = TitleOf(what);
      HardwareChart chart;
      chart.title = title.empty() ? device : fmt::format("{}, {}", device, title);
      charts.push_back(std::move(chart));
      largest.push_back(0);
      units.push_back(what.unit);
    }
    std::string label = what.is_core ? what.device : what.metric;
    if (label.empty()) label = what.device;
    charts[at->second].lines.push_back({one.tag, std::move(label)});
    largest[at->second] = std::max(largest[at->second], one.numbers.max);
  }
  for (size_t i = 0; i < charts.size(); ++i) {
    HardwareScale scale = ScaleOf(units[i], largest[i]);
    charts[i].unit = std::move(scale.unit);
    charts[i].divisor = scale.divisor;
  }
  return charts;
}

// A package's parts are in its energy, but for the memory's; "psys" holds the packages.
bool IsPartOfAnother(std::string_view tag) {
  const size_t at = tag.find("/rapl_");
  if (at == std::string_view::npos) return false;
  const std::string_view zone = PartsOf(tag.substr(at + 6))[0];
  return zone == "psys" || (zone.find('_') != std::string_view::npos && !zone.ends_with("_dram"));
}

// What devices counted themselves; of others their power over time.
std::vector<HardwareEnergy> EnergyOf(const std::vector<Measured>& measured) {
  std::vector<HardwareEnergy> energy;
  const auto known = [&](const std::string& device) {
    return std::ranges::find(energy, device, &HardwareEnergy::device) != energy.end();
  };
  for (const bool counted : {true, false}) {
    std::vector<HardwareEnergy> found;
    for (const Measured& one : measured) {
      const HardwareUnit unit = counted ? HardwareUnit::kJoules : HardwareUnit::kWatts;
      if (one.what.unit != unit || one.what.is_limit || IsPartOfAnother(one.tag)) continue;
      const std::string device = WithRank(one.what);
      if (known(device)) continue;
      const double joules = counted ? one.numbers.rises : one.numbers.integral;
      const auto at = std::ranges::find(found, device, &HardwareEnergy::device);
      if (at == found.end()) {
        found.push_back({device, joules / kJoulesPerWattHour, counted});
      } else if (counted) {
        at->watt_hours += joules / kJoulesPerWattHour;  // several counters: packages
      }
    }
    energy.insert(energy.end(), found.begin(), found.end());
  }
  return energy;
}

}  // namespace

HardwareScale ScaleOf(HardwareUnit unit, double largest) {
  const auto bytes = [&](std::string_view behind) {
    constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t at = 0;
    double divisor = 1;
    while (at + 1 < kNames.size() && largest >= divisor * 1024) {
      divisor *= 1024;
      ++at;
    }
    return HardwareScale{fmt::format("{}{}", kNames[at], behind), divisor};
  };
  switch (unit) {
    case HardwareUnit::kPercent:
      return {"%", 1};
    case HardwareUnit::kBytes:
      return bytes("");
    case HardwareUnit::kBytesPerSecond:
      return bytes("/s");
    case HardwareUnit::kWatts:
      return {"W", 1};
    case HardwareUnit::kJoules:
      return {"Wh", kJoulesPerWattHour};
    case HardwareUnit::kCelsius:
      return {"°C", 1};
    case HardwareUnit::kMegahertz:
      return {"MHz", 1};
    case HardwareUnit::kSeconds:
      return {"s", 1};
    case HardwareUnit::kCores:
      return {"cores", 1};
    case HardwareUnit::kPerSecond:
      return {"1/s", 1};
    case HardwareUnit::kNone:
      break;
  }
  return {"", 1};
}

JoinedScalars JoinedOf(const TagSeries& series) {
  if (series.pieces.empty()) return {};
  std::vector<const SeriesSet*> files;
  for (const TagSeries::Piece& piece : series.pieces) files.push_back(piece.set);
  return {files, series.pieces.front().tag->tag};
}

std::optional<HardwareTag> ParseHardwareTag(std::string_view tag) {
  constexpr std::string_view kPrefix = "monitor/";
  const size_t at = tag.starts_with(kPrefix) ? 0 : tag.find("/monitor/");
  if (at == std::string_view::npos) return std::nullopt;
  HardwareTag out;
  out.rank = RankInPath(tag);
  std::vector<std::string_view> parts =
      PartsOf(tag.substr(at == 0 ? kPrefix.size() : at + kPrefix.size() + 1));
  std::erase_if(parts, [](std::string_view part) {
    return part.starts_with("rank") && RankInPath(part).has_value();
  });
  if (parts.empty()) return std::nullopt;
  // "cpu/0/percent" and "cpu/core_0_percent" alike.
  std::string metric(parts.back());
  parts.pop_back();
  for (const UnitEnding& known : kEndings) {
    const std::string_view bare = known.ending.substr(1);
    if (metric == bare) {
      out.unit = known.unit;
      metric.clear();
    } else if (metric.ends_with(known.ending)) {
      out.unit = known.unit;
      metric.resize(metric.size() - known.ending.size());
    } else {
      continue;
    }
    break;
  }
  if (parts.empty()) {
    parts.push_back(std::string_view(metric));
    out.device = DeviceTitle(parts[0]);
    metric.clear();
  } else {
    for (const std::string_view part : parts) {
      if (!out.device.empty()) out.device += ' ';
      out.device += DeviceTitle(part);
    }
  }
  // "cpu/core3_percent" and "cpu/core/3_percent": a device of its own.
  std::string_view number = metric;
  const bool says_core = number.starts_with("core");
  if (says_core) number.remove_prefix(number.starts_with("core_") ? 5 : 4);
  const bool in_cores = !parts.empty() && parts.back().starts_with("core");
  out.is_core = out.device.starts_with("CPU") && IsNumber(number) && (says_core || in_cores);
  if (out.is_core) {
    out.device = fmt::format("CPU core {}", number);
    metric.clear();
  }
  // "node2/monitor/gpu0/…", of a run on several machines.
  if (const std::string_view before = tag.substr(0, at); !before.empty() && !out.rank) {
    out.device += fmt::format(" on {}", before.substr(before.rfind('/') + 1));
  }
  out.metric = Titled(metric);
  out.is_counter = out.unit == HardwareUnit::kJoules || out.unit == HardwareUnit::kSeconds ||
                   metric.ends_with("_kills");
  out.is_limit = metric == "total" || metric == "online" || metric.ends_with("_total") ||
                 metric.ends_with("_limit");
  return out;
}

TableSpec<HardwareRow> HardwareTable() {
  TableSpec<HardwareRow> spec;
  spec.name = [](const HardwareRow& row) { return std::string_view(row.device); };
  const auto number = [](std::string_view key, auto get, const char* title, int importance) {
    return Field<HardwareRow>(key, Quantity::kNumber, get,
                              {.title = title, .importance = importance, .decimals = 2})
        .NoSum();
  };
  spec.columns = {
      Field<HardwareRow>("device", Quantity::kName, Get<&HardwareRow::device>,
                         {.title = "device", .importance = Shown::kAlways})
          .OnPage("Device"),
      Field<HardwareRow>("metric", Quantity::kName, Get<&HardwareRow::metric>,
                         {.title = "metric", .importance = 95})
          .OnPage("Measured"),
      Field<HardwareRow>("rank", Quantity::kId, Get<&HardwareRow::rank>,
                         {.title = "rank", .importance = 90, .presence = Presence::kAnyValue})
          .OnPage("Rank"),
      number("mean", Get<&HardwareRow::mean>, "mean", 95).OnPage("Mean"),
      number("max", Get<&HardwareRow::max>, "largest", 95).OnPage("Largest"),
      number("min", Get<&HardwareRow::min>, "least", 50).OnPage("Least"),
      number("last", Get<&HardwareRow::last>, "last", 60).OnPage("Last"),
      Field<HardwareRow>("unit", Quantity::kText, Get<&HardwareRow::unit>,
                         {.title = "unit", .importance = 95})
          .OnPage("Unit"),
      Field<HardwareRow>("samples", Quantity::kCount, Get<&HardwareRow::samples>,
                         {.title = "samples", .importance = 40})
          .NoSum()
          .OnPage("Samples"),
      Field<HardwareRow>("tag", Quantity::kName, Get<&HardwareRow::tag>,
                         {.title = "series", .importance = Shown::kNever})
          .OnPage("Series"),
  };
  return spec;
}

Hardware HardwareOf(const RunSeries& series) {
  std::vector<Measured> measured;
  for (const TagSeries& tag : series.tags) {
    if (tag.plugin != "scalars") continue;
    std::optional<HardwareTag> what = ParseHardwareTag(tag.tag);
    if (!what) continue;
    SeriesSummary numbers = Summarize(JoinedOf(tag));
    if (numbers.count == 0) continue;
    measured.push_back({tag.tag, std::move(*what), numbers});
  }
  std::ranges::stable_sort(measured, [](const Measured& a, const Measured& b) {
    const int left = OrderOf(a.what);
    const int right = OrderOf(b.what);
    if (left != right) return left < right;
    if (a.what.rank != b.what.rank) return a.what.rank < b.what.rank;
    if (a.what.device != b.what.device) return NaturalOrder(a.what.device, b.what.device) < 0;
    return a.what.unit < b.what.unit;
  });
  Hardware out;
  for (const Measured& one : measured) {
    out.from = std::min(out.from.value_or(one.numbers.first_wall), one.numbers.first_wall);
    out.to = std::max(out.to.value_or(one.numbers.last_wall), one.numbers.last_wall);
    if (one.numbers.count > out.samples) {
      out.samples = one.numbers.count;
      const double took = one.numbers.last_wall - one.numbers.first_wall;
      out.interval_s = one.numbers.count > 1 && took > 0
                           ? std::optional(took / static_cast<double>(one.numbers.count - 1))
                           : std::nullopt;
    }
    if (!out.cpu_percent && IsBusy(one, "CPU")) out.cpu_percent = one.numbers.mean();
    if (IsBusy(one, "GPU")) {
      const std::string device = WithRank(one.what);
      const bool told = std::ranges::any_of(out.gpu_percent,
                                            [&](const auto& gpu) { return gpu.first == device; });
      if (!told) out.gpu_percent.emplace_back(device, one.numbers.mean());
    }
    if (!out.memory_bytes && one.what.unit == HardwareUnit::kBytes && one.what.device == "Memory" &&
        one.tag.find("used") != std::string::npos) {
      out.memory_bytes = one.numbers.max;
    }
    if (one.what.unit == HardwareUnit::kJoules) continue;  // stands with the energy
    const HardwareScale scale = ScaleOf(one.what.unit, one.numbers.max);
    HardwareRow row;
    row.device = one.what.device;
    row.metric = one.what.metric;
    row.rank = one.what.rank;
    row.unit = scale.unit;
    if (!one.what.is_counter) {
      row.mean = one.numbers.mean() / scale.divisor;
      row.max = one.numbers.max / scale.divisor;
      row.min = one.numbers.min / scale.divisor;
    }
    row.last = one.numbers.last / scale.divisor;
    row.samples = one.numbers.count;
    row.tag = one.tag;
    out.rows.push_back(std::move(row));
  }
  out.energy = EnergyOf(measured);
  out.charts = ChartsOf(measured);
  return out;
}

std::string HardwareSentence(const Hardware& hardware, const OutputStyle& /*style*/) {
  if (hardware.rows.empty()) {
    return "No hardware was measured: telltale run and telltale monitor record it.";
  }
  constexpr size_t kMostNamed = 4;
  std::string busy;
  if (hardware.cpu_percent) {
    busy = fmt::format("CPU {} busy on average", FormatShare(*hardware.cpu_percent / 100, 0));
  }
  const auto& gpus = hardware.gpu_percent;
  if (gpus.size() > kMostNamed) {
    double sum = 0;
    for (const auto& [device, percent] : gpus) sum += percent;
    busy += fmt::format("{}{} GPUs {}", busy.empty() ? "" : ", ", gpus.size(),
                        FormatShare(sum / static_cast<double>(gpus.size()) / 100, 0));
  } else {
    for (const auto& [device, percent] : gpus) {
      busy +=
          fmt::format("{}{} {}", busy.empty() ? "" : ", ", device, FormatShare(percent / 100, 0));
    }
  }
  std::vector<std::string> clauses;
  if (!busy.empty()) clauses.push_back(std::move(busy));
  if (hardware.memory_bytes) {
    clauses.push_back(fmt::format("at most {} of memory in use",
                                  FormatBytes(static_cast<int64_t>(*hardware.memory_bytes))));
  }
  double watt_hours = 0;
  for (const HardwareEnergy& one : hardware.energy) watt_hours += one.watt_hours;
  if (!hardware.energy.empty()) {
    clauses.push_back(fmt::format("{:.{}f} Wh", watt_hours, watt_hours < 10 ? 2 : 1));
  }
  if (clauses.empty()) {
    clauses.push_back(fmt::format("{} series measured", hardware.rows.size()));
  }
  std::string out = fmt::format("{}", fmt::join(clauses, "; "));
  out[0] = out[0] >= 'a' && out[0] <= 'z' ? static_cast<char>(out[0] - 'a' + 'A') : out[0];
  return out + ".";
}

}  // namespace telltale
