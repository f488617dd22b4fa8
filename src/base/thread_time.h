// SPDX-License-Identifier: Apache-2.0
// What work costs, whoever else keeps the machine busy meanwhile.
#pragma once

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime

#include <chrono>

namespace telltale {

// Processor time of the calling thread so far.
[[nodiscard]] inline std::chrono::nanoseconds ThreadTime() {
  timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace telltale
