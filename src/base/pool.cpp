// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"

#include <unistd.h>

#include <exception>
#include <new>
#include <system_error>
#include <thread>

namespace telltale {

struct Pool::Helper {
  std::condition_variable wake;
  Job* job = nullptr;  // none: idle
  unsigned number = 0;
  Helper* next_idle = nullptr;
  std::thread thread;
};

void Pool::Job::Call(unsigned number) noexcept {
  try {
    const CancelScope scope(token);
    work(number);
  } catch (...) {
    const std::lock_guard lock(mutex);
    if (first == nullptr) first = std::current_exception();
  }
}

Pool::Pool() : process_(::getpid()) {}

Pool::~Pool() {
  if (process_ != ::getpid()) {
    // A forked child has none of the threads: their handles are left alone.
    for (std::unique_ptr<Helper>& helper : helpers_) {
      [[maybe_unused]] Helper* const left = helper.release();
    }
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    for (const std::unique_ptr<Helper>& helper : helpers_) helper->wake.notify_one();
  }
  for (const std::unique_ptr<Helper>& helper : helpers_) helper->thread.join();
}

Pool& Pool::Shared() {
  static Pool pool;
  return pool;
}

Pool::Helper* Pool::TakeHelper(unsigned most) {
  if (idle_ != nullptr) {
    Helper* const helper = idle_;
    idle_ = helper->next_idle;
    return helper;
  }
  if (helpers_.size() >= most) return nullptr;
  try {
    helpers_.push_back(std::make_unique<Helper>());
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  Helper& helper = *helpers_.back();
  try {
    helper.thread = std::thread([this, &helper] { Help(helper); });
    return &helper;
  } catch (const std::exception&) {
    helpers_.pop_back();  // the system grants no more threads, or no memory
    return nullptr;
  }
}

void Pool::Help(Helper& helper) {
  std::unique_lock lock(mutex_);
  while (true) {
    helper.wake.wait(lock, [&] { return helper.job != nullptr || ends_; });
    if (helper.job == nullptr) return;
    Job& job = *helper.job;
    lock.unlock();
    job.Call(helper.number);
    lock.lock();
    // Free before the work counts as done: what is begun next finds this one.
    helper.job = nullptr;
    helper.next_idle = idle_;
    idle_ = &helper;
    // Under the lock: the job is gone once its owner has it.
    if (--job.pending == 0) job.done.notify_one();
  }
}

void Pool::Run(unsigned count, const std::function<void(unsigned)>& work) {
  if (count <= 1 || process_ != ::getpid()) return work(0);
  Job job(work);
  {
    const std::lock_guard lock(mutex_);
    for (unsigned number = 1; number < count; ++number) {
      Helper* const helper = TakeHelper(count - 1);
      if (helper == nullptr) break;
      helper->number = number;
      helper->job = &job;
      ++job.pending;
      helper->wake.notify_one();
    }
  }
  job.Call(0);
  {
    std::unique_lock lock(mutex_);
    job.done.wait(lock, [&] { return job.pending == 0; });
  }
  if (job.first != nullptr) std::rethrow_exception(job.first);
}

}  // namespace telltale
