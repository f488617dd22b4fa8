// SPDX-License-Identifier: Apache-2.0
// The threads of function profiles, where the files keep them apart: what each took, and how much
// of it it waited. A program's threads run at the same time, so their sum is no time that passed:
// one is looked at, unless all are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/function_profile.h"

namespace telltale {

struct ThreadChoice {
  size_t profile = 0;  // of those that are joined
  uint32_t thread = 0;

  friend bool operator==(const ThreadChoice&, const ThreadChoice&) = default;
};

struct FunctionThread {
  ThreadChoice choice;
  std::string_view name;  // lives as long as the profiles
  int64_t total = 0;      // in the profile's unit
  int64_t waiting = 0;    // of it: in functions that only wait (waits.h)
  bool is_main = false;   // worked most
  // Waited nearly all the time: a pool's idle worker, a monitor.
  bool is_idle = false;

  [[nodiscard]] int64_t worked() const { return total - waiting; }
};

// Those in which something ran: profile by profile, those that worked most first. Empty where no
// profile tells threads apart.
[[nodiscard]] std::vector<FunctionThread> ThreadsOf(
    std::span<const FunctionProfile* const> profiles);

// `asked` is "main" (the thread that worked most), a number in the list, or a thread's name. None:
// there are no threads to choose from, and "main" is everything. An Error for any other.
[[nodiscard]] Result<std::optional<ThreadChoice>> ChooseThread(
    std::span<const FunctionThread> threads, std::string_view asked);

// The profile's tree with the time of one thread alone. How often it called a path that other
// threads took, too, is not known.
[[nodiscard]] CallTree TreeOfThread(const FunctionProfile& profile, uint32_t thread);

}  // namespace telltale
