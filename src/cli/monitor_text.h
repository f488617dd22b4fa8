// SPDX-License-Identifier: Apache-2.0
// What `telltale monitor` says where there is no page: a line or a JSON object a sample, and mean
// and largest values at the end. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "monitor/metrics.h"
#include "monitor/monitor.h"
#include "monitor/usage_summary.h"
#include "views/render/terminal.h"

namespace telltale {

// "37.2 %", "1.25 GiB/s", "61 °C"; without `unicode` "61 C".
[[nodiscard]] std::string FormatReading(double value, MetricUnit unit, bool unicode);
// "2026-11-15T20:45:01Z"
[[nodiscard]] std::string FormatUtc(int64_t wall_ns);

// nullopt: there is none in this sample.
[[nodiscard]] std::optional<double> FindReading(std::span<const MonitorReading> readings,
                                                std::string_view tag);

// One line with what matters most, without its end.
[[nodiscard]] std::string SampleLine(const Monitor& monitor,
                                     std::span<const MonitorReading> readings, int64_t wall_ns,
                                     bool unicode);
// One line; with `is_first` also the devices and what the machine lacks.
[[nodiscard]] std::string SampleJson(const Monitor& monitor,
                                     std::span<const MonitorReading> readings, int64_t wall_ns,
                                     bool is_first);

// How a command ended that was watched.
struct CommandEnd {
  int exit_code = 0;  // 128 + signal
  int signal = 0;     // 0: it ended by itself
  int64_t wall_ns = 0;
  int64_t processor_ns = 0;   // its own and that of all children it waited for
  int64_t largest_bytes = 0;  // resident memory of its largest process
};
[[nodiscard]] std::string UsageText(const UsageSummary& summary, const CommandEnd* end,
                                    const OutputStyle& style);
[[nodiscard]] std::string UsageJson(const UsageSummary& summary, const CommandEnd* end);

}  // namespace telltale
