// SPDX-License-Identifier: Apache-2.0
// Those who wait for one piece of work: it is wanted as long as one of them has not left.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/cancel.h"

namespace telltale {

// Any number of threads.
class Waiters : public CancelToken {
 public:
  // Whoever works on this thread (CancelScope) waits as long as this lives.
  class Waiting {
   public:
    explicit Waiting(Waiters& waiters) : waiters_(waiters), token_(CancelScope::current()) {
      const std::lock_guard lock(waiters_.mutex_);
      waiters_.tokens_.push_back(token_);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
      const std::lock_guard lock(waiters_.mutex_);
      waiters_.tokens_.erase(std::ranges::find(waiters_.tokens_, token_));
    }

   private:
    Waiters& waiters_;
    const CancelToken* token_;
  };

  [[nodiscard]] bool canceled() const override {
    const std::lock_guard lock(mutex_);
    return std::ranges::all_of(
        tokens_, [](const CancelToken* token) { return token != nullptr && token->canceled(); });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<const CancelToken*> tokens_;  // null: it is wanted in any case
};

}  // namespace telltale
