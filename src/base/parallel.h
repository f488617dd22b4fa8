// SPDX-License-Identifier: Apache-2.0
// The one way in which work is spread over threads: those of a pool (pool.h). What one of them
// throws comes out where the work was begun, work that nobody waits for any more ends (cancel.h),
// and a system that grants no threads makes it slower, not fail. Threads that live as long as a
// server (src/server/) are not started here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

#include "base/cancel.h"

namespace telltale {

// 0 means as many as the machine has.
[[nodiscard]] unsigned ThreadCount(unsigned requested);

// Whether the system grants so many more threads right now. For those who start threads elsewhere
// and cannot do with fewer.
[[nodiscard]] bool CanHaveThreads(unsigned count);

// Calls `work(i)` for some i below `count` at the same time, each once: for 0 on this thread, for
// the others on as many threads as are free. So each call must take what is left to do from the
// others until nothing is. Returns when all of them have; then the first exception, if there was
// one, comes out here.
void RunOnThreads(unsigned count, const std::function<void(unsigned)>& work);

// Calls `work(i)` for every i below `count`, in no order, on up to `threads` threads. The calls
// must not touch each other's data. After an exception no further ones are begun.
template <typename Work>
void ForEachOnThreads(unsigned threads, size_t count, Work work) {
  std::atomic<size_t> next{0};
  RunOnThreads(static_cast<unsigned>(std::min<size_t>(threads, count)), [&](unsigned) {
    try {
      for (size_t i = next++; i < count; i = next++) {
        StopIfCanceled();
        work(i);
      }
    } catch (...) {
      next = count;
      throw;
    }
  });
}

// Two independent pieces of work; one after the other if `threads` is 1.
template <typename First, typename Second>
void RunBoth(unsigned threads, First first, Second second) {
  ForEachOnThreads(threads, 2, [&](size_t i) {
    if (i == 0) {
      first();
    } else {
      second();
    }
  });
}

}  // namespace telltale
