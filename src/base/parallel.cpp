// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace telltale {

unsigned ThreadCount(unsigned requested) {
  return requested != 0 ? requested : std::max(1U, std::thread::hardware_concurrency());
}

bool CanHaveThreads(unsigned count) {
  std::atomic<bool> enough = false;
  std::vector<std::thread> threads;
  try {
    threads.reserve(count);
    // All at the same time.
    while (threads.size() < count) threads.emplace_back([&enough] { enough.wait(false); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  enough = true;
  enough.notify_all();
  for (std::thread& thread : threads) thread.join();
  return threads.size() == count;
}

void RunOnThreads(unsigned count, const std::function<void(unsigned)>& work) {
  if (count <= 1) return work(0);
  std::mutex mutex;
  std::exception_ptr first;  // mutex
  const auto guarded = [&](unsigned i) noexcept {
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (first == nullptr) first = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    others.reserve(count - 1);
    for (unsigned i = 1; i < count; ++i) others.emplace_back(guarded, i);
  } catch (const std::system_error&) {  // no more threads: those there are do the work
  } catch (const std::bad_alloc&) {     // nor memory for them
  }
  guarded(0);
  for (std::thread& other : others) other.join();
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace telltale
