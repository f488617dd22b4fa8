// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/series/place.h"
#include "analysis/series/smooth.h"

namespace telltale {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kNone = SIZE_MAX;

// What is kept of one pixel.
class Pixel {
 public:
  void See(size_t i, double value) {
    if (first_ == kNone) first_ = i;
    last_ = i;
    if (!std::isfinite(value)) {
      if (bad_ == kNone) bad_ = i;
      return;
    }
    SeeMin(i, value);
    SeeMax(i, value);
  }
  // Nothing of the block but its summary is looked at; false: that does not do.
  bool See(size_t first, const ScalarColumn::Block& block) {
    if (block.has_non_finite && bad_ == kNone) return false;
    if (first_ == kNone) first_ = first;
    last_ = first + block.last;
    if (!block.has_finite) return true;
    SeeMin(first + block.min_at, block.min);
    SeeMax(first + block.max_at, block.max);
    return true;
  }
  // In order, each once. Begins anew.
  void Flush(std::vector<size_t>& out) {
    std::array<size_t, 5> all = {first_, min_, max_, bad_, last_};
    std::ranges::sort(all);
    size_t before = kNone;
    for (const size_t i : all) {
      if (i != kNone && i != before) out.push_back(i);
      before = i;
    }
    *this = {};
  }

 private:
  void SeeMin(size_t i, double value) {
    if (min_ != kNone && !(value < low_)) return;
    min_ = i;
    low_ = value;
  }
  void SeeMax(size_t i, double value) {
    if (max_ != kNone && !(value > high_)) return;
    max_ = i;
    high_ = value;
  }

  size_t first_ = kNone;
  size_t last_ = kNone;
  size_t min_ = kNone;
  size_t max_ = kNone;
  size_t bad_ = kNone;
  double low_ = 0;
  double high_ = 0;
};

class LineMaker {
 public:
  LineMaker(const JoinedScalars& points, const LineRequest& request)
      : points_(points), request_(request), place_(points, request) {}

  Line Make() {
    Line line;
    const std::optional<AxisRange> all = RangeOf(points_, request_);
    if (!all) return line;
    from_ = request_.from.value_or(all->from);
    to_ = request_.to.value_or(all->to);
    for (const Segment& segment : points_.segments()) {
      const size_t end = request_.hide_overwritten ? segment.visible_end : segment.end;
      if (end == segment.begin) continue;
      std::vector<size_t> chosen;
      line.total += Choose(segment.begin, end, chosen);
      if (chosen.empty()) continue;
      if (!chosen_.empty()) breaks_.push_back(chosen_.size());
      chosen_.insert(chosen_.end(), chosen.begin(), chosen.end());
    }
    line.reduced = inside_ < line.total;
    Fill(line);
    return line;
  }

 private:
  [[nodiscard]] bool IsInside(double x) const { return x >= from_ && x <= to_; }
  [[nodiscard]] size_t PixelOf(double x) const {
    const double share = (x - from_) / (to_ - from_);
    const double pixel = share * static_cast<double>(request_.width);
    return std::min(static_cast<size_t>(std::max(pixel, 0.0)), request_.width - 1);
  }

  // Of one segment; returns how many points are inside.
  size_t Choose(size_t begin, size_t end, std::vector<size_t>& chosen) {
    if (place_.Ascends(begin, end)) return ChooseAscending(begin, end, chosen);
    return ChooseAny(begin, end, chosen);
  }

  size_t ChooseAscending(size_t begin, size_t end, std::vector<size_t>& chosen) {
    // The first point at or behind x, or the first one behind it.
    const auto find = [&](double x, bool behind) {
      size_t low = begin;
      size_t high = end;
      while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const double at = place_.Of(points_[middle]);
        if (behind ? at > x : at >= x) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    const size_t first = find(from_, false);
    const size_t stop = std::max(first, find(to_, true));
    if (first > begin) chosen.push_back(first - 1);
    Reduce(first, stop, chosen);
    if (stop < end) chosen.push_back(stop);
    return stop - first;
  }

  void Reduce(size_t first, size_t stop, std::vector<size_t>& chosen) {
    const size_t before = chosen.size();
    if (request_.width == 0 || stop - first <= 2 * request_.width || !(to_ > from_)) {
      if (request_.width != 0 && stop - first > 2 * request_.width) {
        // All of them are in one place.
        Pixel pixel;
        points_.ForEach(first, stop,
                        [&](size_t i, const ScalarPoint& point) { pixel.See(i, point.value); });
        pixel.Flush(chosen);
      } else {
        for (size_t i = first; i < stop; ++i) chosen.push_back(i);
      }
      inside_ += chosen.size() - before;
      return;
    }
    Pixel pixel;
    size_t current = kNone;
    const auto enter = [&](size_t next) {
      if (next == current) return;
      if (current != kNone) pixel.Flush(chosen);
      current = next;
    };
    points_.ForEachBlock(
        first, stop,
        [&](size_t i, const ScalarColumn& column, const ScalarColumn::Block& block) {
          const size_t at = PixelOf(place_.OfFirst(column, block));
          if (at != PixelOf(place_.OfLast(column, block))) return false;
          enter(at);
          return pixel.See(i, block);
        },
        [&](size_t i, const ScalarPoint& point) {
          enter(PixelOf(place_.Of(point)));
          pixel.See(i, point.value);
        });
    if (current != kNone) pixel.Flush(chosen);
    inside_ += chosen.size() - before;
  }

  // The axis goes back and forth: a line through few points, else what each pixel has, whenever.
  size_t ChooseAny(size_t begin, size_t end, std::vector<size_t>& chosen) {
    std::vector<size_t> inside;
    std::vector<Pixel> pixels(request_.width);
    const bool has_width = request_.width > 0 && to_ > from_;
    size_t count = 0;
    points_.ForEach(begin, end, [&](size_t i, const ScalarPoint& point) {
      const double x = place_.Of(point);
      if (!IsInside(x)) return;
      ++count;
      if (inside.size() <= 4 * request_.width || request_.width == 0) inside.push_back(i);
      if (has_width) pixels[PixelOf(x)].See(i, point.value);
    });
    if (has_width && count > 4 * request_.width) {
      inside.clear();
      for (Pixel& pixel : pixels) pixel.Flush(inside);
      std::ranges::sort(inside);
    }
    inside_ += inside.size();
    chosen.insert(chosen.end(), inside.begin(), inside.end());
    return count;
  }

  void Fill(Line& line) const {
    const std::vector<double> smoothed =
        SmoothedAt(points_, chosen_, request_.smoothing, request_.hide_overwritten);
    size_t next_break = 0;
    for (size_t k = 0; k < chosen_.size(); ++k) {
      if (next_break < breaks_.size() && breaks_[next_break] == k) {
        ++next_break;
        for (auto* column : {&line.x, &line.y, &line.smoothed, &line.wall, &line.step}) {
          column->push_back(kNan);
        }
      }
      const ScalarPoint point = points_[chosen_[k]];
      line.x.push_back(place_.Of(point));
      line.y.push_back(point.value);
      line.smoothed.push_back(smoothed[k]);
      line.wall.push_back(point.wall_time);
      line.step.push_back(static_cast<double>(point.step));
    }
  }

  const JoinedScalars& points_;
  const LineRequest& request_;
  AxisPlace place_;
  double from_ = 0;
  double to_ = 0;
  std::vector<size_t> chosen_;
  std::vector<size_t> breaks_;  // places in chosen_ where a segment begins
  size_t inside_ = 0;           // of chosen_, between from and to
};

}  // namespace

Line MakeLine(const JoinedScalars& points, const LineRequest& request) {
  return LineMaker(points, request).Make();
}

std::optional<AxisRange> RangeOf(const JoinedScalars& points, const LineRequest& request) {
  const AxisPlace place(points, request);
  std::optional<AxisRange> range;
  const auto see = [&](double x) {
    if (!std::isfinite(x)) return;
    if (!range) range = AxisRange{x, x};
    range->from = std::min(range->from, x);
    range->to = std::max(range->to, x);
  };
  for (const Segment& segment : points.segments()) {
    const size_t end = request.hide_overwritten ? segment.visible_end : segment.end;
    if (end == segment.begin) continue;
    if (place.Ascends(segment.begin, end)) {
      see(place.Of(points[segment.begin]));
      see(place.Of(points[end - 1]));
    } else {
      points.ForEach(segment.begin, end,
                     [&](size_t, const ScalarPoint& point) { see(place.Of(point)); });
    }
  }
  return range;
}

}  // namespace telltale
