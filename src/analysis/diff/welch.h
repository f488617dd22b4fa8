// SPDX-License-Identifier: Apache-2.0
// Whether two sets of measurements differ by more than their spread: Welch's t-test, two-sided.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace telltale {

// The probability of a difference of means at least this large if both sets came from one source.
// None where a set has fewer than two values. Without any spread: 1 if the means agree, else 0.
[[nodiscard]] std::optional<double> WelchTest(std::span<const int64_t> a,
                                              std::span<const int64_t> b);

// Student's t distribution: the probability of |T| >= t with (any positive number of) degrees of
// freedom.
[[nodiscard]] double StudentTwoSided(double t, double degrees);

}  // namespace telltale
