// SPDX-License-Identifier: Apache-2.0
// Work that nobody waits for any more ends early. Whoever starts work that may be given up makes a
// CancelScope; what is called below it, also on the threads it is spread over (parallel.h), looks
// at its token with StopIfCanceled() and ends with the exception Canceled, which comes out at the
// scope. Results do not depend on it, so it is no part of any options: what is kept for others must
// not remember who asked first.
#pragma once

#include <cstdint>
#include <exception>

namespace telltale {

// Says whether the work is still wanted. Any number of threads ask.
class CancelToken {
 public:
  CancelToken() = default;
  CancelToken(const CancelToken&) = delete;
  CancelToken& operator=(const CancelToken&) = delete;
  virtual ~CancelToken() = default;
  [[nodiscard]] virtual bool canceled() const = 0;
};

class Canceled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "nobody waits for it"; }
};

// The work below, on this thread. Null: it is wanted in any case. `token` outlives it.
class CancelScope {
 public:
  explicit CancelScope(const CancelToken* token);
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  ~CancelScope();
  // Of the innermost scope on this thread.
  [[nodiscard]] static const CancelToken* current();

 private:
  const CancelToken* before_;
};

// Throws Canceled. For the beginning of a phase that takes milliseconds or more.
void StopIfCanceled();

// The same for loops: looks once in a few thousand rounds.
class CancelCheck {
 public:
  void Tick() {
    if ((++rounds_ & kMask) == 0) StopIfCanceled();
  }

 private:
  static constexpr uint32_t kMask = (1U << 14) - 1;
  uint32_t rounds_ = 0;
};

}  // namespace telltale
