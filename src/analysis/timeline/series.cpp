// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/core/sort_runs.h"
#include "analysis/memory/curve.h"
#include "analysis/memory/events.h"

namespace telltale {

namespace {

std::string NameOfPlace(const MemoryPlace& place) {
  std::string name(MemoryTypeName(place.type));
  if (place.id >= 0 && name != "cpu") name += ":" + std::to_string(place.id);
  return name;
}

void AddMemory(const Trace& trace, std::vector<Series>& out) {
  for (const PlaceInstants& instants : GatherInstantsByPlace(trace).places) {
    const MemoryCurve curve = CurveOf(trace, instants, Selection());
    if (curve.points.empty()) continue;
    std::vector<CounterPoint> allocated;
    std::vector<CounterPoint> reserved;
    allocated.reserve(curve.points.size());
    for (const MemoryPoint& point : curve.points) {
      allocated.push_back({point.time_ns, static_cast<double>(point.allocated_bytes)});
      if (point.reserved_bytes) {
        reserved.push_back({point.time_ns, static_cast<double>(*point.reserved_bytes)});
      }
    }
    const std::string place = NameOfPlace(instants.place);
    // Without totals in the capture the curve only tells changes since the recording began.
    out.emplace_back(SeriesKind::kMemory,
                     place + (curve.relative ? " allocated (change)" : " allocated"), "bytes",
                     std::move(allocated));
    if (!reserved.empty()) {
      out.emplace_back(SeriesKind::kMemory, place + " reserved", "bytes", std::move(reserved));
    }
  }
}

void AddCaptured(const Trace& trace, FileSeries& out) {
  const CounterTable& counters = trace.counters;
  std::map<std::tuple<TrackId, StringId, StringId>, size_t> numbers;
  std::vector<std::vector<CounterPoint>> points;
  std::vector<uint32_t> first_row;
  for (size_t row = 0; row < counters.size(); ++row) {
    if (!std::isfinite(counters.value[row])) continue;
    const auto [at, added] = numbers.try_emplace(
        {counters.track[row], counters.name[row], counters.series[row]}, points.size());
    if (added) {
      points.emplace_back();
      first_row.push_back(static_cast<uint32_t>(row));
    }
    points[at->second].push_back({counters.time_ns[row], counters.value[row]});
  }
  for (size_t i = 0; i < points.size(); ++i) {
    if (out.series.size() >= kMostSeries) {
      out.left_out = points.size() - i;
      return;
    }
    const uint32_t row = first_row[i];
    std::string name(trace.Text(counters.name[row]));
    const std::string_view series = trace.Text(counters.series[row]);
    if (!series.empty() && series != name)
      name += name.empty() ? series : " " + std::string(series);
    out.series.emplace_back(SeriesKind::kCounter, std::move(name), "", std::move(points[i]));
  }
}

}  // namespace

Series::Series(SeriesKind kind, std::string name, std::string unit,
               std::vector<CounterPoint> points)
    : kind_(kind), name_(std::move(name)), unit_(std::move(unit)), points_(std::move(points)) {
  SortRuns(std::span(points_),
           [](const CounterPoint& a, const CounterPoint& b) { return a.time_ns < b.time_ns; });
  blocks_.reserve(points_.size() / kBlock);
  for (size_t first = 0; first + kBlock <= points_.size(); first += kBlock) {
    Extremes block{points_[first].value, points_[first].value};
    for (size_t i = first; i < first + kBlock; ++i) {
      block.least = std::min(block.least, points_[i].value);
      block.greatest = std::max(block.greatest, points_[i].value);
    }
    blocks_.push_back(block);
  }
}

Series::Extremes Series::ExtremesOf(size_t first, size_t last) const {
  Extremes found{points_[first].value, points_[first].value};
  const auto add = [&](double least, double greatest) {
    found.least = std::min(found.least, least);
    found.greatest = std::max(found.greatest, greatest);
  };
  while (first < last) {
    if (first % kBlock == 0 && first + kBlock <= last) {
      add(blocks_[first / kBlock].least, blocks_[first / kBlock].greatest);
      first += kBlock;
    } else {
      add(points_[first].value, points_[first].value);
      ++first;
    }
  }
  return found;
}

size_t Series::memory_bytes() const {
  return name_.capacity() + unit_.capacity() + points_.capacity() * sizeof(CounterPoint) +
         blocks_.capacity() * sizeof(Extremes);
}

std::vector<SeriesBin> ViewSeries(const Series& series, int64_t begin_ns, int64_t end_ns,
                                  uint32_t width) {
  std::vector<SeriesBin> bins;
  const std::vector<CounterPoint>& points = series.points();
  if (points.empty() || end_ns <= begin_ns || width == 0) return bins;
  const auto first_from = [&](size_t from, int64_t time_ns) {
    const auto at = std::lower_bound(
        points.begin() + static_cast<ptrdiff_t>(from), points.end(), time_ns,
        [](const CounterPoint& point, int64_t time) { return point.time_ns < time; });
    return static_cast<size_t>(at - points.begin());
  };
  size_t at = first_from(0, begin_ns);
  if (at > 0) {
    const CounterPoint& before = points[at - 1];
    bins.push_back({before.time_ns, before.value, before.value, before.value});
  }
  const uint64_t length = static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(begin_ns);
  const uint64_t pixel = (length - 1) / width + 1;  // rounded up: not more bins than pixels
  while (at < points.size() && points[at].time_ns < end_ns) {
    const uint64_t from_begin =
        static_cast<uint64_t>(points[at].time_ns) - static_cast<uint64_t>(begin_ns);
    const uint64_t next = (from_begin / pixel + 1) * pixel;
    const int64_t until =
        next >= length ? end_ns : static_cast<int64_t>(static_cast<uint64_t>(begin_ns) + next);
    const size_t last = first_from(at, until);
    const Series::Extremes extremes = series.ExtremesOf(at, last);
    bins.push_back({points[at].time_ns, extremes.least, extremes.greatest, points[last - 1].value});
    at = last;
  }
  return bins;
}

FileSeries SeriesOf(const TraceContext& context) {
  FileSeries out;
  AddMemory(context.trace, out.series);
  for (CounterSeries& counter : DeviceCounters(context)) {
    std::string name = std::move(counter.name);
    if (counter.stream) name += ", stream " + std::to_string(*counter.stream);
    out.series.emplace_back(SeriesKind::kCounter, std::move(name), std::move(counter.unit),
                            std::move(counter.points));
  }
  AddCaptured(context.trace, out);
  return out;
}

}  // namespace telltale
