// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/spread.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "analysis/series/place.h"
#include "analysis/series/smooth.h"

namespace telltale {

namespace {

// The points of one run at one place.
struct Here {
  double x = 0;
  double sum = 0;
  double wall = 0;
  double step = 0;
  double low = 0;
  double high = 0;
  size_t count = 0;

  void See(double at, const ScalarPoint& point) {
    low = count == 0 ? point.value : std::min(low, point.value);
    high = count == 0 ? point.value : std::max(high, point.value);
    x += at;
    sum += point.value;
    wall += point.wall_time;
    step += static_cast<double>(point.step);
    ++count;
  }
};

// Over runs, at one place.
struct Together {
  std::vector<Here> runs;
};

using Places = std::map<double, Together>;

// Calls use(x, point) for what counts.
template <typename Use>
void ForEachCounted(const JoinedScalars& run, const LineRequest& request, const AxisRange& range,
                    Use use) {
  const AxisPlace place(run, request);
  for (const Segment& segment : run.segments()) {
    const size_t end = request.hide_overwritten ? segment.visible_end : segment.end;
    run.ForEach(segment.begin, end, [&](size_t, const ScalarPoint& point) {
      const double x = place.Of(point);
      if (x >= range.from && x <= range.to && std::isfinite(point.value)) use(x, point);
    });
  }
}

// By place, or by pixel where `width` is given. Nothing: there are more places than `most`.
std::optional<Places> Collect(std::span<const JoinedScalars* const> runs,
                              const LineRequest& request, const AxisRange& range, size_t width,
                              size_t most) {
  Places places;
  for (const JoinedScalars* const run : runs) {
    std::map<double, Here> own;
    bool too_many = false;
    ForEachCounted(*run, request, range, [&](double x, const ScalarPoint& point) {
      if (too_many) return;
      double key = x;
      if (width > 0) {
        const double share = (x - range.from) / (range.to - range.from);
        key = std::floor(
            std::min(share * static_cast<double>(width), static_cast<double>(width) - 1));
      }
      own[key].See(x, point);
      too_many = own.size() > most;
    });
    if (too_many) return std::nullopt;
    for (const auto& [key, here] : own) places[key].runs.push_back(here);
    if (places.size() > most) return std::nullopt;
  }
  return places;
}

void Add(const Together& place, SpreadBand band, Line& line) {
  const auto n = static_cast<double>(place.runs.size());
  double x = 0;
  double mean = 0;
  double wall = 0;
  double step = 0;
  double low = place.runs[0].low;
  double high = place.runs[0].high;
  for (const Here& run : place.runs) {
    const auto points = static_cast<double>(run.count);
    x += run.x / points / n;
    mean += run.sum / points / n;
    wall += run.wall / points / n;
    step += run.step / points / n;
    low = std::min(low, run.low);
    high = std::max(high, run.high);
  }
  if (band == SpreadBand::kDeviation) {
    double squares = 0;
    for (const Here& run : place.runs) {
      const double off = run.sum / static_cast<double>(run.count) - mean;
      squares += off * off;
    }
    const double deviation = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
    low = mean - deviation;
    high = mean + deviation;
  }
  line.x.push_back(x);
  line.y.push_back(mean);
  line.wall.push_back(wall);
  line.step.push_back(step);
  line.low.push_back(low);
  line.high.push_back(high);
}

}  // namespace

Line MakeSpread(std::span<const JoinedScalars* const> runs, const LineRequest& request,
                SpreadBand band) {
  Line line;
  std::optional<AxisRange> range;
  for (const JoinedScalars* const run : runs) {
    const std::optional<AxisRange> own = RangeOf(*run, request);
    if (!own) continue;
    if (!range) range = own;
    range->from = std::min(range->from, own->from);
    range->to = std::max(range->to, own->to);
  }
  if (!range) return line;
  range->from = request.from.value_or(range->from);
  range->to = request.to.value_or(range->to);

  std::optional<Places> places =
      Collect(runs, request, *range, 0, request.width == 0 ? SIZE_MAX : request.width);
  if (!places) {
    line.reduced = true;
    places = Collect(runs, request, *range, request.width, SIZE_MAX);
  }
  for (const auto& [key, place] : *places) {
    for (const Here& run : place.runs) line.total += run.count;
    Add(place, band, line);
  }
  line.smoothed = Smooth(line.y, request.smoothing);
  if (request.smoothing > 0) {
    line.low = Smooth(line.low, request.smoothing);
    line.high = Smooth(line.high, request.smoothing);
  }
  return line;
}

}  // namespace telltale
