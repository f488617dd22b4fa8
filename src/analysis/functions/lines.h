// SPDX-License-Identifier: Apache-2.0
// In which lines functions were, where a profile knows it: samples say the line that the innermost
// Python function was in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/functions/threads.h"
#include "model/function_profile.h"

namespace telltale {

struct FunctionLine {
  // Of the function, as FunctionRow has them; views into the profiles.
  std::string_view file;
  int64_t first_line = kNoInt;
  std::string_view name;
  int64_t line = kNoInt;  // kNoInt: the profile does not say
  // Time in which no other function of a file was above it: its own, and what native code that it
  // called and its waiting took.
  int64_t self = 0;
};

[[nodiscard]] bool KnowsLines(std::span<const FunctionProfile* const> profiles);

// Most time first; of one thread alone, or of all.
[[nodiscard]] std::vector<FunctionLine> LinesOf(std::span<const FunctionProfile* const> profiles,
                                                std::optional<ThreadChoice> thread = std::nullopt);

}  // namespace telltale
