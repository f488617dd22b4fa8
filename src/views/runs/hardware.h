// SPDX-License-Identifier: Apache-2.0
// What the monitor measured of a run: its series (tags monitor/DEVICE/METRIC) by device and unit,
// mean and largest value of each, and the energy. The unit is the end of the metric's name:
// _percent, _bytes, _watts, _joules, _celsius, _mhz …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/series/rate.h"
#include "runs/run_list.h"
#include "views/render/terminal.h"
#include "views/table_spec.h"

namespace telltale {

enum class HardwareUnit : uint8_t {
  kNone,
  kPercent,
  kBytes,
  kBytesPerSecond,
  kWatts,
  kJoules,
  kCelsius,
  kMegahertz,
  kSeconds,
  kCores,
  kPerSecond,
};

// How values up to `largest` are shown.
struct HardwareScale {
  std::string unit;    // "GiB"
  double divisor = 1;  // of the values as they are logged
};
[[nodiscard]] HardwareScale ScaleOf(HardwareUnit unit, double largest);

// What a tag says of itself.
struct HardwareTag {
  std::string device;  // "CPU", "GPU 0", "Memory"
  std::string metric;  // "Utilization", without the unit
  HardwareUnit unit = HardwareUnit::kNone;
  std::optional<int64_t> rank;
  bool is_core = false;     // one of many that are shown together
  bool is_counter = false;  // grows: what it counted is its value
  bool is_limit = false;    // what may be used, not what is
};
// None: no series of the monitor's.
[[nodiscard]] std::optional<HardwareTag> ParseHardwareTag(std::string_view tag);

struct HardwareRow {
  std::string device;
  std::string metric;
  std::optional<int64_t> rank;
  std::string unit;                      // "%", "GiB", "W"; the numbers are in it
  std::optional<double> mean, max, min;  // none: a counter, whose last value is what it counted
  double last = 0;
  uint64_t samples = 0;
  std::string tag;
};
[[nodiscard]] TableSpec<HardwareRow> HardwareTable();

struct HardwareEnergy {
  std::string device;
  double watt_hours = 0;
  bool counted = false;  // by the device; else power over time
};

// Lines that one chart shows.
struct HardwareChart {
  struct Line {
    std::string tag;
    std::string label;
  };
  std::string title;
  std::string unit;    // of the values as they are drawn
  double divisor = 1;  // of the values as they are logged
  std::vector<Line> lines;
};

struct Hardware {
  std::vector<HardwareRow> rows;  // by device, cores last
  std::vector<HardwareEnergy> energy;
  std::vector<HardwareChart> charts;
  std::optional<double> cpu_percent;                        // mean
  std::vector<std::pair<std::string, double>> gpu_percent;  // by device
  std::optional<double> memory_bytes;                       // largest
  uint64_t samples = 0;                                     // of the series that has most
  std::optional<double> from, to;                           // seconds since 1970
  std::optional<double> interval_s;
};
[[nodiscard]] Hardware HardwareOf(const RunSeries& series);

// "CPU 87 % busy on average, GPU 0 12 %; at most 14.2 GiB of memory; 3.1 Wh."
[[nodiscard]] std::string HardwareSentence(const Hardware& hardware, const OutputStyle& style);

// The points of a scalar tag, whose files must not change meanwhile.
[[nodiscard]] JoinedScalars JoinedOf(const TagSeries& series);

}  // namespace telltale
