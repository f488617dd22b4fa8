// SPDX-License-Identifier: Apache-2.0
// Histograms as TensorBoard's Python loader and its distributions have them.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace telltale {

struct HistogramBucket {
  double left = 0;
  double right = 0;
  double count = 0;
};

// From the old style: right edges and counts, of which the outermost may be ±1.8e308. Empty buckets
// at both ends go, the outer edges become the smallest and the largest value, and all numbers are
// rounded to float, as there.
[[nodiscard]] std::vector<HistogramBucket> NewStyleBuckets(double min, double max,
                                                           std::span<const double> right_edges,
                                                           std::span<const double> counts);

// In 1/10000: the ends, the middle, and ±0.5, 1 and 1.5 standard deviations of a normal
// distribution.
constexpr std::array<int, 9> kDistributionBasisPoints = {0,    668,  1587, 3085, 5000,
                                                         6915, 8413, 9332, 10000};
// Below which value these shares lie, with values spread evenly in each bucket. Zeros where there
// are no buckets.
[[nodiscard]] std::array<double, 9> Distribution(std::span<const HistogramBucket> buckets);

}  // namespace telltale
