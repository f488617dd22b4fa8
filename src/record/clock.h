// SPDX-License-Identifier: Apache-2.0
// The clock of records: the processor's time stamp counter where it runs evenly on all cores, else
// CLOCK_MONOTONIC, and the pairs that tell which moment of the system's clock a tick is.
#pragma once

#include <ctime>

#include "record/layout.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace telltale::record {

// Whether Ticks() reads the counter. Decided once, by ChooseClock.
extern bool uses_tsc;  // NOLINT(bugprone-dynamic-static-initializers): a constant initializes it

inline int64_t NanosecondsOf(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline uint64_t Ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(static_cast<long>(uses_tsc), 1) != 0) return __rdtsc();
#endif
  return static_cast<uint64_t>(NanosecondsOf(CLOCK_MONOTONIC));
}

// TELLTALE_CLOCK=monotonic in the environment keeps off the counter.
ClockKind ChooseClock();
// The best of a few tries.
ClockPair ReadBothClocks();

}  // namespace telltale::record
