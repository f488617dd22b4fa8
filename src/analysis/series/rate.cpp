// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/cancel.h"

namespace telltale {

namespace {

constexpr double kLongestGap = 60;  // seconds: the machine slept, or nobody measured
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What the wall times of the visible points span.
std::optional<AxisRange> WallsOf(const JoinedScalars& points) {
  std::optional<AxisRange> range;
  points.ForEachVisible([&](size_t, const ScalarPoint& point) {
    if (!std::isfinite(point.wall_time)) return;
    if (!range) range = AxisRange{point.wall_time, point.wall_time};
    range->from = std::min(range->from, point.wall_time);
    range->to = std::max(range->to, point.wall_time);
  });
  return range;
}

}  // namespace

Line MakeRate(const JoinedScalars& points, const RateRequest& request) {
  Line line;
  const std::optional<AxisRange> walls = WallsOf(points);
  if (!walls || request.parts == 0) return line;
  const double from = request.from.value_or(walls->from);
  const double to = request.to.value_or(walls->to);
  if (!(to > from)) return line;
  const double length = (to - from) / static_cast<double>(request.parts);
  std::vector<double> steps(request.parts);
  std::vector<double> known(request.parts);  // seconds of each part that points lie around
  std::vector<double> last_step(request.parts, kNaN);
  CancelCheck check;
  for (const Segment& segment : points.segments()) {
    ScalarPoint before;
    bool has_before = false;
    points.ForEach(segment.begin, segment.visible_end, [&](size_t, const ScalarPoint& point) {
      check.Tick();
      if (!std::isfinite(point.wall_time)) return;
      const ScalarPoint left = before;
      const bool has_left = has_before;
      before = point;
      has_before = true;
      if (!has_left) return;
      const double begin = left.wall_time;
      const double end = point.wall_time;
      const double done = static_cast<double>(point.step) - static_cast<double>(left.step);
      if (end < from || begin > to || end < begin || done < 0) return;
      if (end == begin) {
        if (end >= to) return;
        const auto at = static_cast<size_t>((end - from) / length);
        if (at < request.parts) steps[at] += done;
        return;
      }
      ++line.total;
      const auto low = static_cast<size_t>(std::max(0.0, (begin - from) / length));
      const double beyond = std::min((end - from) / length, static_cast<double>(request.parts));
      for (size_t at = low; at < request.parts && static_cast<double>(at) < beyond; ++at) {
        const double part_begin = from + static_cast<double>(at) * length;
        const double inside = std::min(end, part_begin + length) - std::max(begin, part_begin);
        if (inside <= 0) continue;
        steps[at] += done * inside / (end - begin);
        known[at] += inside;
        last_step[at] = static_cast<double>(point.step);
      }
    });
  }
  for (size_t i = 0; i < request.parts; ++i) {
    const double middle = from + (static_cast<double>(i) + 0.5) * length;
    const bool is_known = known[i] > length * 1e-6;
    // What is not known breaks the line, as between segments.
    line.x.push_back(is_known ? middle : kNaN);
    line.y.push_back(is_known ? steps[i] / known[i] : kNaN);
    line.wall.push_back(is_known ? middle : kNaN);
    line.step.push_back(last_step[i]);
  }
  line.smoothed = line.y;
  line.reduced = true;
  return line;
}

SeriesSummary Summarize(const JoinedScalars& points) {
  SeriesSummary out;
  for (const Segment& segment : points.segments()) {
    ScalarPoint before;
    bool has_before = false;
    points.ForEach(segment.begin, segment.visible_end, [&](size_t, const ScalarPoint& point) {
      if (!std::isfinite(point.value) || !std::isfinite(point.wall_time)) return;
      if (out.count == 0) {
        out.min = out.max = point.value;
        out.first_wall = point.wall_time;
      }
      ++out.count;
      out.sum += point.value;
      out.min = std::min(out.min, point.value);
      out.max = std::max(out.max, point.value);
      out.last = point.value;
      out.last_wall = point.wall_time;
      if (has_before) {
        const double took = point.wall_time - before.wall_time;
        if (took > 0 && took <= kLongestGap) {
          out.integral += took * (point.value + before.value) / 2;
        }
        out.rises += std::max(0.0, point.value - before.value);
      }
      before = point;
      has_before = true;
    });
  }
  return out;
}

std::optional<double> RateNow(const JoinedScalars& points, size_t most) {
  if (points.segments().empty() || most < 2) return std::nullopt;
  const Segment& segment = points.segments().back();
  if (segment.visible_end - segment.begin < 2) return std::nullopt;
  const size_t first = segment.visible_end - std::min(segment.visible_end - segment.begin, most);
  const ScalarPoint begin = points[first];
  const ScalarPoint end = points[segment.visible_end - 1];
  const double took = end.wall_time - begin.wall_time;
  const double steps = static_cast<double>(end.step) - static_cast<double>(begin.step);
  if (!(took > 0) || !(steps > 0) || !std::isfinite(took)) return std::nullopt;
  return steps / took;
}

}  // namespace telltale
