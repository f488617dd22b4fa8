// SPDX-License-Identifier: Apache-2.0
// "Did you mean …?": the nearest of the names that would have been right.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace telltale {

// Letters to insert, delete, replace or swap with their neighbour to get from one to the other
// (Damerau-Levenshtein, each stretch edited once).
[[nodiscard]] size_t EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, or empty if none is near enough to be what was meant. A
// candidate that begins with `word` is near.
[[nodiscard]] std::string_view Nearest(std::string_view word,
                                       std::span<const std::string_view> candidates);

// "; did you mean 'x'?" or nothing.
[[nodiscard]] std::string DidYouMean(std::string_view word,
                                     std::span<const std::string_view> candidates,
                                     std::string_view prefix = "");

}  // namespace telltale
