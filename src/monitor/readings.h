// SPDX-License-Identifier: Apache-2.0
// Series and their values of one sample: what sources of numbers write into. A source adds its
// series once, gets a number for each, and puts values under that number.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/metrics.h"

namespace telltale {

struct MonitorSeries {
  std::string tag;          // monitor/gpu0/power_watts
  std::string_view device;  // gpu0, in `tag`
  std::string_view name;    // power_watts, in `tag`
  const MetricSpec* spec = nullptr;
};

struct MonitorReading {
  std::string_view tag;
  double value = 0;
  uint32_t series = 0;  // its number: the same in every sample
};

// Not copied: readings and series look into it.
class Readings {
 public:
  Readings() = default;
  Readings(const Readings&) = delete;
  Readings& operator=(const Readings&) = delete;

  // `part` stands for the placeholder, if the metric has one. A series is there once: the same
  // metric and part have the same number.
  [[nodiscard]] uint32_t Add(Metric metric, std::string_view part = {});

  void Clear() { values_.clear(); }
  // Not finite: left out.
  void Put(uint32_t series, double value);
  [[nodiscard]] std::span<const MonitorReading> values() const { return values_; }
  [[nodiscard]] const std::deque<MonitorSeries>& series() const { return series_; }

 private:
  std::deque<MonitorSeries> series_;  // stay where they are
  std::vector<MonitorReading> values_;
};

}  // namespace telltale
