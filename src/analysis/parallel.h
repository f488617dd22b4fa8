// SPDX-License-Identifier: Apache-2.0
// Independent pieces of work at the same time, on two threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <system_error>
#include <thread>

namespace telltale {

// 0 means as many as the machine has.
[[nodiscard]] inline unsigned ThreadCount(unsigned requested) {
  if (requested != 0) return requested;
  const unsigned available = std::thread::hardware_concurrency();
  return available == 0 ? 1 : available;
}

// One after the other if `threads` is 1 or the system grants no thread. What either throws comes
// out here, once both have ended.
template <typename First, typename Second>
void RunBoth(unsigned threads, First first, Second second) {
  std::future<void> other;  // waits when it goes
  if (threads > 1) {
    try {
      other = std::async(std::launch::async, second);
    } catch (const std::system_error&) {
      threads = 1;  // no thread to be had: the work is done below
    }
  }
  first();
  if (other.valid()) {
    other.get();
  } else {
    second();
  }
}

// Calls `work(i)` for every i below `count`, in no order. The calls must not touch each other's
// data.
template <typename Work>
void ForEachOnBoth(unsigned threads, size_t count, Work work) {
  std::atomic<size_t> next{0};
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  RunBoth(count > 1 ? threads : 1, take, take);
}

}  // namespace telltale
