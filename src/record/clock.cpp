// SPDX-License-Identifier: Apache-2.0
#include "record/clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace telltale::record {

bool uses_tsc = false;

namespace {

#if defined(__x86_64__)
// Leaf 0x80000007, EDX bit 8: the counter runs at one rate whatever the processor does.
bool CounterIsInvariant() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}

// The kernel takes the counter from this list when it found that cores disagree. Without the list
// the processor's word counts.
bool KernelTrustsCounter() {
  const int file = ::open("/sys/devices/system/clocksource/clocksource0/available_clocksource",
                          O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  char text[256] = {};
  const ssize_t size = ::read(file, text, sizeof text - 1);
  ::close(file);
  return size <= 0 || std::strstr(text, "tsc") != nullptr;
}
#endif

}  // namespace

ClockKind ChooseClock() {
#if defined(__x86_64__)
  const char* wanted = std::getenv("TELLTALE_CLOCK");
  const bool is_refused = wanted != nullptr && std::strcmp(wanted, "monotonic") == 0;
  uses_tsc = !is_refused && CounterIsInvariant() && KernelTrustsCounter();
#endif
  return uses_tsc ? ClockKind::kTsc : ClockKind::kMonotonic;
}

ClockPair ReadBothClocks() {
  ClockPair best{};
  uint64_t smallest = ~uint64_t{0};
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = Ticks();
    const int64_t wall_ns = NanosecondsOf(CLOCK_REALTIME);
    const uint64_t between = Ticks() - before;
    if (between < smallest) {
      smallest = between;
      best = {before + between / 2, wall_ns};
    }
  }
  return best;
}

}  // namespace telltale::record
