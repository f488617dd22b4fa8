// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/place.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace telltale {

AxisPlace::AxisPlace(const JoinedScalars& points, const LineRequest& request)
    : points_(points), axis_(request.axis) {
  if (axis_ == LineAxis::kRelative) {
    // The first that has one.
    for (const Segment& segment : points.segments()) {
      const size_t end = request.hide_overwritten ? segment.visible_end : segment.end;
      size_t i = segment.begin;
      while (i < end && std::isnan(points[i].wall_time)) ++i;
      if (i == end) continue;
      first_wall_ = points[i].wall_time;
      break;
    }
  }
  if (axis_ != LineAxis::kOther || request.other == nullptr) return;
  other_.reserve(request.other->visible_size());
  request.other->ForEachVisible(
      [&](size_t, const ScalarPoint& point) { other_.emplace_back(point.step, point.value); });
  // Of equal steps the last one counts: it is found from behind.
  std::ranges::stable_sort(other_, {}, &std::pair<int64_t, double>::first);
}

double AxisPlace::OfOther(int64_t step) const {
  const auto at = std::ranges::upper_bound(other_, step, {}, &std::pair<int64_t, double>::first);
  if (at == other_.begin() || (at - 1)->first != step) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return (at - 1)->second;
}

bool AxisPlace::Ascends(size_t begin, size_t end) const {
  if (axis_ == LineAxis::kStep) return true;  // within a segment, and nobody asks for more
  if (axis_ == LineAxis::kOther) return false;
  bool ascends = true;
  double last = -std::numeric_limits<double>::infinity();
  const auto see = [&](double wall) {
    if (!(wall >= last)) ascends = false;  // a NaN, too
    last = wall;
  };
  points_.ForEachBlock(
      begin, end,
      [&](size_t, const ScalarColumn&, const ScalarColumn::Block& block) {
        if (!ascends) return true;
        if (!block.walls_sorted) {
          ascends = false;
          return true;
        }
        see(block.first_wall);
        see(block.last_wall);
        return true;
      },
      [&](size_t, const ScalarPoint& point) { see(point.wall_time); });
  return ascends;
}

}  // namespace telltale
