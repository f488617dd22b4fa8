// SPDX-License-Identifier: Apache-2.0
// Energy since the start, from a counter that may wrap or be set back, or from power where there is
// no counter.
#pragma once

#include <cstdint>
#include <optional>

namespace telltale {

class EnergyMeter {
 public:
  // `range`: how far the counter goes before it begins at 0 again; 0: it does not.
  explicit EnergyMeter(double joules_per_unit = 1, uint64_t range = 0)
      : joules_per_unit_(joules_per_unit), range_(range) {}

  // Joules since the last call; the first one is the base.
  double Count(uint64_t counter) {
    double joules = 0;
    if (last_) {
      if (counter >= *last_) {
        joules = static_cast<double>(counter - *last_) * joules_per_unit_;
      } else if (range_ > *last_) {
        joules = static_cast<double>(range_ - *last_ + counter) * joules_per_unit_;
      }
    }
    last_ = counter;
    joules_ += joules;
    return joules;
  }
  // Power that was drawn all the time since the last call.
  void Add(double watts, double seconds) { joules_ += watts * seconds; }
  [[nodiscard]] double joules() const { return joules_; }

 private:
  double joules_per_unit_;
  uint64_t range_;
  std::optional<uint64_t> last_;
  double joules_ = 0;
};

}  // namespace telltale
