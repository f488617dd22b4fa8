// SPDX-License-Identifier: Apache-2.0
// The live page of `telltale monitor`: a bar, a number and a line of the past for each part of the
// machine, for any size of window. Pure: what is drawn is a function of what was read; the terminal
// is full_screen.h's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/monitor.h"
#include "views/render/terminal.h"

namespace telltale {

// The last values of all series.
class MonitorPast {
 public:
  // The readings of monitor's last sample.
  void Add(const Monitor& monitor, std::span<const MonitorReading> readings);

  struct Series {
    std::string tag, device, name;
    Metric metric = Metric::kCpuSystem;
    std::deque<double> values;  // the newest one last; a gap is a NaN
    // What is read now and then stays for a while.
    [[nodiscard]] std::optional<double> latest() const;
  };
  [[nodiscard]] const std::vector<Series>& series() const { return series_; }
  [[nodiscard]] const Series* Find(std::string_view tag) const;
  [[nodiscard]] std::optional<double> Latest(std::string_view tag) const;

 private:
  std::vector<Series> series_;
};

struct MonitorPageState {
  std::string host;
  std::string time;      // of the last sample
  std::string interval;  // "1 s"
  bool is_paused = false;
  bool shows_cores = false;
  std::vector<MonitoredDevice> devices;
  std::vector<std::string> lacking;
};

// Exactly `height` lines of at most `style.width` columns (but 30 at least), without line ends.
[[nodiscard]] std::vector<std::string> MonitorPage(const MonitorPast& past,
                                                   const MonitorPageState& state,
                                                   const OutputStyle& style, size_t height);

}  // namespace telltale
