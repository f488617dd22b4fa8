// SPDX-License-Identifier: Apache-2.0
#include "monitor/schedule.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace telltale {

namespace {

// Ten ticks of the kernel's accounting, in which loads are measured to a tenth.
constexpr int64_t kFirstNs = 100'000'000;
constexpr double kLeastSeconds = 0.01;
constexpr double kMostSeconds = 86'400;

}  // namespace

Result<int64_t> ParseInterval(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const double seconds = unit.empty() || unit == "s"    ? 1
                         : unit == "ms"                 ? 1e-3
                         : unit == "m" || unit == "min" ? 60
                                                        : 0;
  if (problem != std::errc() || seconds == 0 || !std::isfinite(number)) {
    return Fail(ErrorCode::kUsage, "takes seconds, or a number with ms, s or m: 1, 0.5, 200ms");
  }
  if (number * seconds < kLeastSeconds || number * seconds > kMostSeconds) {
    return Fail(ErrorCode::kUsage, "takes an interval from 10ms to a day");
  }
  return static_cast<int64_t>(std::llround(number * seconds * 1e9));
}

SampleSchedule::SampleSchedule(int64_t start_ns, int64_t interval_ns)
    : start_ns_(start_ns),
      interval_ns_(std::max<int64_t>(interval_ns, 1)),
      next_ns_(start_ns + std::min(kFirstNs, interval_ns_)) {}

bool SampleSchedule::Take(int64_t now_ns) {
  if (now_ns < next_ns_) return false;
  const int64_t taken = next_ns_;
  next_ns_ = start_ns_ + ((now_ns - start_ns_) / interval_ns_ + 1) * interval_ns_;
  // The first one is no multiple, and counts for none.
  missed_ += (next_ns_ - 1 - taken) / interval_ns_;
  return true;
}

}  // namespace telltale
