// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/smooth.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace telltale {

namespace {

// After so many values the first has less than 1e-40 of its weight: no double shows it beside any
// value that is not as much smaller.
size_t Memory(double weight) {
  if (weight <= 0) return 1;
  if (weight >= 1) return SIZE_MAX;
  return static_cast<size_t>(std::ceil(-92.2 / std::log(weight))) + 1;
}

// A NaN is equal to nothing.
bool AllEqual(const JoinedScalars& points, std::span<const Segment> parts) {
  std::optional<double> value;
  bool equal = true;
  const auto see = [&](double seen) {
    if (!value) value = seen;
    equal &= seen == *value;
  };
  for (const Segment& part : parts) {
    points.ForEachBlock(
        part.begin, part.end,
        [&](size_t, const ScalarColumn&, const ScalarColumn::Block& block) {
          if (!equal) return true;
          if (!block.has_finite || block.has_non_finite) return false;
          see(block.min);
          see(block.max);
          return true;
        },
        [&](size_t, const ScalarPoint& point) { see(point.value); });
    if (!equal) return false;
  }
  return equal;
}

}  // namespace

double Smoother::Next(double value) {
  if (!std::isfinite(value)) return value;
  mean_ = mean_ * weight_ + (1 - weight_) * value;
  if (weight_ == 1) return mean_;
  gathered_ *= weight_;
  return mean_ / (1 - gathered_);
}

std::vector<double> Smooth(std::span<const double> values, double weight) {
  std::vector<double> smoothed(values.begin(), values.end());
  const bool all_equal = std::ranges::all_of(values, [&](double v) { return v == values[0]; });
  if (weight <= 0 || all_equal) return smoothed;
  Smoother smoother(weight);
  for (double& value : smoothed) value = smoother.Next(value);
  return smoothed;
}

std::vector<double> SmoothedAt(const JoinedScalars& points, std::span<const size_t> indices,
                               double weight, bool hide_overwritten) {
  std::vector<Segment> parts;  // begin and end of what counts
  for (const Segment& segment : points.segments()) {
    const size_t end = hide_overwritten ? segment.visible_end : segment.end;
    if (end > segment.begin) parts.push_back({segment.begin, end, end});
  }
  std::vector<double> smoothed;
  smoothed.reserve(indices.size());
  if (weight <= 0 || AllEqual(points, parts)) {
    for (const size_t i : indices) smoothed.push_back(points[i].value);
    return smoothed;
  }
  // Places among the points that count: where each part begins there.
  std::vector<size_t> places;
  size_t total = 0;
  for (const Segment& part : parts) {
    places.push_back(total);
    total += part.end - part.begin;
  }
  const size_t memory = Memory(weight);
  const auto part_of = [&](size_t index) {
    const auto at = std::upper_bound(parts.begin(), parts.end(), index,
                                     [](size_t i, const Segment& part) { return i < part.begin; });
    return static_cast<size_t>(at - parts.begin()) - 1;
  };
  Smoother smoother(weight);
  size_t next = 0;  // the first place that the smoother has not seen
  for (const size_t index : indices) {
    const size_t part = part_of(index);
    const size_t place = places[part] + (index - parts[part].begin);
    if (place >= next && place - next > memory) {
      smoother = Smoother(weight);
      next = place - memory;
    }
    double value = smoothed.empty() ? 0 : smoothed.back();
    while (next <= place) {
      const auto at = std::upper_bound(places.begin(), places.end(), next);
      const auto p = static_cast<size_t>(at - places.begin()) - 1;
      const size_t begin = parts[p].begin + (next - places[p]);
      const size_t end = std::min(parts[p].end, begin + (place - next) + 1);
      points.ForEach(begin, end,
                     [&](size_t, const ScalarPoint& point) { value = smoother.Next(point.value); });
      next += end - begin;
    }
    smoothed.push_back(value);
  }
  return smoothed;
}

}  // namespace telltale
