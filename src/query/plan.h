// SPDX-License-Identifier: Apache-2.0
// What a table is asked to do in one scan: which conditions it checks itself and in which order it
// gives its rows. Decided when the statement is prepared, carried as text in SQLite's idxStr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

enum class Comparison : char {
  kEqual = '=',
  kLess = '<',
  kLessOrEqual = 'l',
  kGreater = '>',
  kGreaterOrEqual = 'g',
  kLike = '%',
  kGlob = '*',
  kRegexp = '~',
};

[[nodiscard]] constexpr bool IsPattern(Comparison comparison) {
  return comparison == Comparison::kLike || comparison == Comparison::kGlob ||
         comparison == Comparison::kRegexp;
}

struct Condition {
  int column = 0;
  Comparison comparison = Comparison::kEqual;
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct OrderTerm {
  int column = 0;
  bool descending = false;
  friend auto operator<=>(const OrderTerm&, const OrderTerm&) = default;
};

struct Plan {
  std::vector<Condition> conditions;  // in the order of xFilter's arguments
  std::vector<OrderTerm> order;       // empty: any
  friend bool operator==(const Plan&, const Plan&) = default;
};

[[nodiscard]] std::string Encode(const Plan& plan);
[[nodiscard]] Plan DecodePlan(std::string_view text);

}  // namespace telltale
