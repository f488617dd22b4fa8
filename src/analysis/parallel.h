// SPDX-License-Identifier: Apache-2.0
// Two independent pieces of work at the same time.
#pragma once

#include <system_error>
#include <thread>

namespace telltale {

// 0 means as many as the machine has.
[[nodiscard]] inline unsigned ThreadCount(unsigned requested) {
  if (requested != 0) return requested;
  const unsigned available = std::thread::hardware_concurrency();
  return available == 0 ? 1 : available;
}

// One after the other if `threads` is 1 or the system grants no thread.
template <typename First, typename Second>
void RunBoth(unsigned threads, First first, Second second) {
  std::thread worker;
  if (threads > 1) {
    try {
      worker = std::thread(second);
    } catch (const std::system_error&) {
      threads = 1;  // no thread to be had: the work is done below
    }
  }
  first();
  if (worker.joinable()) {
    worker.join();
  } else {
    second();
  }
}

}  // namespace telltale
