// SPDX-License-Identifier: Apache-2.0
// When samples are taken: at whole multiples of the interval after the start, so that neither the
// cost of a sample nor a late wake-up adds up. The first one comes soon, so that a short run has
// one, too.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace telltale {

constexpr int64_t kUsualIntervalNs = 1'000'000'000;

// "1", "0.5", "500ms", "2s", "1m": 10 ms to a day. What it says of others is to follow the option's
// name ("takes …").
[[nodiscard]] Result<int64_t> ParseInterval(std::string_view text);

class SampleSchedule {
 public:
  SampleSchedule(int64_t start_ns, int64_t interval_ns);

  // When the next sample is due.
  [[nodiscard]] int64_t next_ns() const { return next_ns_; }
  // Whether it is; the next one is then the first that is still to come: what was missed (a machine
  // that slept) is not made up for.
  [[nodiscard]] bool Take(int64_t now_ns);
  // Samples that nobody took in time.
  [[nodiscard]] int64_t missed() const { return missed_; }

 private:
  int64_t start_ns_;
  int64_t interval_ns_;
  int64_t next_ns_;
  int64_t missed_ = 0;
};

}  // namespace telltale
