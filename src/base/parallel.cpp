// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/pool.h"

namespace telltale {

namespace {

// False: the system grants no more, or there is no memory for it.
template <typename Work>
bool StartAnother(std::vector<std::thread>& threads, Work work) {
  try {
    threads.emplace_back(work);
    return true;
  } catch (const std::system_error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

unsigned ThreadCount(unsigned requested) {
  return requested != 0 ? requested : std::max(1U, std::thread::hardware_concurrency());
}

bool CanHaveThreads(unsigned count) {
  std::atomic<bool> enough = false;
  std::vector<std::thread> threads;
  // All at the same time.
  while (threads.size() < count && StartAnother(threads, [&enough] { enough.wait(false); })) {
  }
  enough = true;
  enough.notify_all();
  for (std::thread& thread : threads) thread.join();
  return threads.size() == count;
}

void RunOnThreads(unsigned count, const std::function<void(unsigned)>& work) {
  if (count <= 1) return work(0);
  Pool::Shared().Run(count, work);
}

}  // namespace telltale
