// SPDX-License-Identifier: Apache-2.0
// TensorBoard's smoothing: an exponential moving average over the points, whatever lies between
// their steps, divided by the weight it has gathered so that its beginning is not drawn to zero.
// NaN and infinities pass and are not counted. A series of equal values is left as it is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/series/joined.h"

namespace telltale {

class Smoother {
 public:
  // 0: none. Not above 1.
  explicit Smoother(double weight) : weight_(weight) {}
  // The next value, smoothed.
  [[nodiscard]] double Next(double value);

 private:
  double weight_;
  double mean_ = 0;
  double gathered_ = 1;  // weight_ to the number of values
};

[[nodiscard]] std::vector<double> Smooth(std::span<const double> values, double weight);

// Of the visible points (or all), the smoothed values of those with these indices, which ascend.
// Looks only at as many points before each as still count.
[[nodiscard]] std::vector<double> SmoothedAt(const JoinedScalars& points,
                                             std::span<const size_t> indices, double weight,
                                             bool hide_overwritten);

}  // namespace telltale
