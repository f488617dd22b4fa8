// SPDX-License-Identifier: Apache-2.0
// Mean and largest value of every series of a monitor. Means are over time: a sample counts as long
// as it covers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/monitor.h"

namespace telltale {

struct UsageRow {
  std::string device;  // gpu0
  std::string metric;  // power_watts
  std::string unit;
  double mean = 0;
  double most = 0;
  double seconds = 0;  // that the mean covers
  uint64_t samples = 0;
};

class UsageSummary {
 public:
  // The readings of monitor's last sample.
  void Add(const Monitor& monitor, std::span<const MonitorReading> readings);
  // Continues what an earlier one had written; what is no such table is ignored.
  void Resume(std::string_view csv);

  // By device, as they were first seen.
  [[nodiscard]] std::vector<UsageRow> Rows() const;
  // device,metric,unit,mean,max,seconds,samples
  [[nodiscard]] std::string Csv() const;
  // Of the series with most of them.
  [[nodiscard]] uint64_t samples() const;

 private:
  [[nodiscard]] UsageRow& RowOf(std::string_view device, std::string_view metric);

  std::vector<UsageRow> rows_;     // `mean` is a sum, times seconds
  std::vector<size_t> of_series_;  // by the monitor's numbers
};

}  // namespace telltale
