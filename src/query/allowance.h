// SPDX-License-Identifier: Apache-2.0
// What a query may take: time, memory, and only as long as somebody waits for it. SQLite looks at
// the clock between the instructions of a statement that runs, never while it prepares one. But it
// allocates all the time: so its allocator is ours, and whoever has used up what was allowed gets
// no memory any more, which SQLite takes at every place. Memory is counted for each query by itself
// and for all of the process, so that neither limit depends on what others set.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace telltale {

// Used by the thread that runs the query.
class Allowance {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Stop : uint8_t { kNone, kTime, kCanceled };

  struct Limits {
    int64_t own_bytes = INT64_MAX;   // of this query
    int64_t all_bytes = INT64_MAX;   // of all queries of the process together
    std::function<bool()> canceled;  // may be empty
  };

  explicit Allowance(Limits limits) : limits_(std::move(limits)), own_bytes_(limits_.own_bytes) {}
  Allowance(const Allowance&) = delete;
  Allowance& operator=(const Allowance&) = delete;

  // The clock runs while SQLite works, not while the caller looks at a row or waits for a pipe.
  void StartClock(Clock::duration left);
  // Returns what is left.
  Clock::duration StopClock();

  // Looks at the clock and whether the query was canceled. Once true it stays so until the clock is
  // started anew.
  [[nodiscard]] bool Spent();
  // Why the query must end.
  [[nodiscard]] Stop stop() const { return stop_; }

  // How much of the memory may be taken from now on.
  void LimitMemory(int64_t own_bytes) { own_bytes_ = std::min(own_bytes, limits_.own_bytes); }

  // Memory that is not SQLite's. False: there is not as much left, and nothing was taken.
  [[nodiscard]] bool Take(int64_t bytes);
  void GiveBack(int64_t bytes);
  [[nodiscard]] int64_t used_bytes() const { return used_bytes_; }

  // While it lives, what SQLite does on this thread is the query's.
  class Scope {
   public:
    explicit Scope(Allowance& allowance);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Allowance* before_;
  };

 private:
  friend struct CountedMemory;
  [[nodiscard]] bool Admits(int64_t bytes);

  Limits limits_;
  int64_t own_bytes_;
  int64_t used_bytes_ = 0;
  Clock::time_point deadline_ = Clock::time_point::max();
  unsigned allocations_ = 0;
  Stop stop_ = Stop::kNone;
};

// Thrown where a loop of ours finds the allowance spent, and caught before SQLite sees it.
struct QueryStopped {};

// Memory of ours that grows while a query runs, counted as the query's as long as this lives.
class Charge {
 public:
  explicit Charge(Allowance& allowance) : allowance_(&allowance) {}
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  Charge(Charge&& other) noexcept
      : allowance_(other.allowance_), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(allowance_, other.allowance_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() { allowance_->GiveBack(bytes_); }

  // Throws std::bad_alloc where that is too much; what was counted before stays.
  void Set(int64_t bytes);
  void Add(int64_t bytes) { Set(bytes_ + bytes); }

 private:
  Allowance* allowance_;
  int64_t bytes_ = 0;
};

// For loops of ours over many rows: looks at the allowance now and then.
class Pace {
 public:
  explicit Pace(Allowance& allowance) : allowance_(&allowance) {}
  // Throws QueryStopped.
  void Step() {
    // A row takes some ten nanoseconds, a look at the clock as much.
    constexpr unsigned kStepsPerLook = 4096;
    if (++steps_ % kStepsPerLook == 0 && allowance_->Spent()) throw QueryStopped();
  }

 private:
  Allowance* allowance_;
  unsigned steps_ = 0;
};

// Makes SQLite allocate through allowances: once for the process, before SQLite is used. An SQLite
// result code.
[[nodiscard]] int InstallCountedMemory();

}  // namespace telltale
