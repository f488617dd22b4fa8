// SPDX-License-Identifier: Apache-2.0
// Threads that wait for work, kept for the life of the process. Only those that are free at the
// moment are given work, and whoever gives it does a part himself: so work may be spread from
// inside work to any depth, never waits for a thread that is busy elsewhere, and never runs on more
// threads than the outermost asked for. Any number of threads may call.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/cancel.h"

namespace telltale {

class Pool {
 public:
  Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // The one of the process.
  [[nodiscard]] static Pool& Shared();

  // As RunOnThreads (parallel.h).
  void Run(unsigned count, const std::function<void(unsigned)>& work);

 private:
  // Work that was given out; lives where it is waited for.
  struct Job {
    explicit Job(const std::function<void(unsigned)>& to_do) : work(to_do) {}
    void Call(unsigned number) noexcept;

    const std::function<void(unsigned)>& work;
    const CancelToken* token = CancelScope::current();
    unsigned pending = 0;  // Pool::mutex_
    std::condition_variable done;
    std::mutex mutex;
    std::exception_ptr first;  // mutex
  };
  struct Helper;

  // A thread that is free, or one more where there are fewer than `most`; nullptr: none.
  Helper* TakeHelper(unsigned most);
  void Help(Helper& helper);

  const pid_t process_;  // a fork has the memory, but not the threads
  std::mutex mutex_;     // of what follows, and of the helpers
  std::vector<std::unique_ptr<Helper>> helpers_;
  Helper* idle_ = nullptr;  // a list
  bool ends_ = false;
};

}  // namespace telltale
