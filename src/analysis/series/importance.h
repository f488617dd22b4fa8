// SPDX-License-Identifier: Apache-2.0
// How much a metric goes with a hyper-parameter, over runs: a correlation of ranks, which asks for
// no straight line and is not ruled by one run far out. It is no proof of a cause: parameters that
// were changed together share it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace telltale {

struct Importance {
  double correlation =
      0;            // -1 to 1 of numbers (Spearman's), 0 to 1 of names (of variances, its root)
  size_t runs = 0;  // that have both
};

// `parameter` and `metric` of the same run have the same place; those that are NaN are left out.
// Nothing: fewer than three runs have both, or one of them is the same everywhere.
[[nodiscard]] std::optional<Importance> NumberImportance(std::span<const double> parameter,
                                                         std::span<const double> metric);
// Of a parameter without order: the share of the metric's ranks that its groups explain.
[[nodiscard]] std::optional<Importance> NameImportance(std::span<const std::string_view> parameter,
                                                       std::span<const double> metric);

// 1 for the smallest; equal values share the mean of their places.
[[nodiscard]] std::vector<double> Ranks(std::span<const double> values);

}  // namespace telltale
