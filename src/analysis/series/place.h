// SPDX-License-Identifier: Apache-2.0
// Where the points of a series lie on the axis of a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/series/line.h"

namespace telltale {

class AxisPlace {
 public:
  AxisPlace(const JoinedScalars& points, const LineRequest& request);

  // NaN: nowhere.
  [[nodiscard]] double Of(const ScalarPoint& point) const {
    switch (axis_) {
      case LineAxis::kStep:
        return static_cast<double>(point.step);
      case LineAxis::kRelative:
        return point.wall_time - first_wall_;
      case LineAxis::kWall:
        return point.wall_time;
      case LineAxis::kOther:
        break;
    }
    return OfOther(point.step);
  }
  // Of the first and the last point of a block, of which nothing but its summary is looked at
  // where that says it.
  [[nodiscard]] double OfFirst(const ScalarColumn& column, const ScalarColumn::Block& block) const {
    return Of({column.StepAt(block, 0), block.first_wall, 0});
  }
  [[nodiscard]] double OfLast(const ScalarColumn& column, const ScalarColumn::Block& block) const {
    return Of({column.StepAt(block, block.last), block.last_wall, 0});
  }
  // Whether none of these points lies before the one in front of it.
  [[nodiscard]] bool Ascends(size_t begin, size_t end) const;

 private:
  [[nodiscard]] double OfOther(int64_t step) const;

  const JoinedScalars& points_;
  LineAxis axis_;
  double first_wall_ = 0;
  std::vector<std::pair<int64_t, double>> other_;  // by step
};

}  // namespace telltale
