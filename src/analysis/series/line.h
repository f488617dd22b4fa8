// SPDX-License-Identifier: Apache-2.0
// A series as a line of a picture: of all points at the most four a pixel, the first, the smallest,
// the largest and the last, so that the line drawn of them covers the same pixels as one drawn of
// all. With NaN or infinities in a pixel the first of them is kept, too. Millions of points are
// seen through the summaries of their blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/series/joined.h"

namespace telltale {

enum class LineAxis : uint8_t {
  kStep,
  kRelative,  // seconds since the first visible point
  kWall,      // seconds since 1970
  kOther,     // the value of another tag at the same step
};

struct LineRequest {
  LineAxis axis = LineAxis::kStep;
  const JoinedScalars* other = nullptr;  // of kOther
  // On the axis; none: from the first point, to the last one. The points next to them are part of
  // the line, so that it reaches the edge.
  std::optional<double> from = {};
  std::optional<double> to = {};
  size_t width = 600;  // pixels; 0: every point
  double smoothing = 0;
  bool hide_overwritten = true;
};

// Between two segments is a point whose numbers are all NaN.
struct Line {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> smoothed;
  std::vector<double> wall;
  std::vector<double> step;
  std::vector<double> low;   // of groups (spread.h)
  std::vector<double> high;  // likewise
  size_t total = 0;          // points between from and to
  bool reduced = false;      // not all of them are here

  [[nodiscard]] size_t size() const { return x.size(); }
};

[[nodiscard]] Line MakeLine(const JoinedScalars& points, const LineRequest& request);

// Where the visible points lie on an axis: the smallest and the largest place. Nothing: nowhere.
struct AxisRange {
  double from = 0;
  double to = 0;
};
[[nodiscard]] std::optional<AxisRange> RangeOf(const JoinedScalars& points,
                                               const LineRequest& request);

}  // namespace telltale
