// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/curve.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

constexpr size_t kKeptPerStretch = 4;

// Appends the points of [first, last) that a chart needs, in order.
void KeepOf(std::span<const MemoryPoint> points, size_t first, size_t last,
            std::vector<size_t>& out) {
  size_t least = first;
  size_t most = first;
  size_t reserved = first;
  for (size_t i = first; i < last; ++i) {
    if (points[i].allocated_bytes < points[least].allocated_bytes) least = i;
    if (points[i].allocated_bytes > points[most].allocated_bytes) most = i;
    if (points[i].reserved_bytes > points[reserved].reserved_bytes) reserved = i;
  }
  std::array<size_t, kKeptPerStretch> kept = {least, most, reserved, last - 1};
  std::sort(kept.begin(), kept.end());
  const auto end = std::unique(kept.begin(), kept.end());
  out.insert(out.end(), kept.begin(), end);
}

}  // namespace

MemoryCurve CurveOf(const Trace& trace, const PlaceInstants& instants, const Selection& selection) {
  const MemoryTable& memory = trace.memory;
  MemoryCurve curve;
  curve.relative = std::none_of(instants.rows.begin(), instants.rows.end(), [&](uint32_t row) {
    return memory.total_allocated[row] != kNoInt;
  });
  int64_t sum = 0;
  for (uint32_t position = 0; position < instants.rows.size(); ++position) {
    const uint32_t row = instants.rows[position];
    AddTo(sum, memory.bytes[row]);
    MemoryPoint point;
    point.time_ns = memory.time_ns[row];
    point.allocated_bytes = curve.relative ? sum : memory.total_allocated[row];
    if (memory.total_reserved[row] != kNoInt) {
      point.reserved_bytes = memory.total_reserved[row];
      curve.has_reserved |= *point.reserved_bytes > 0;
    }
    if (!curve.relative && memory.total_allocated[row] == kNoInt) continue;
    if (!selection.HasHostTime(point.time_ns)) continue;
    curve.points.push_back(point);
    curve.positions.push_back(position);
  }
  // Allocators that reserve nothing ahead (the CPU's) write 0 throughout, or what is less than they
  // have allocated.
  for (const MemoryPoint& point : curve.points) {
    if (!curve.relative && point.reserved_bytes && *point.reserved_bytes < point.allocated_bytes)
      curve.has_reserved = false;
  }
  if (!curve.has_reserved) {
    for (MemoryPoint& point : curve.points) point.reserved_bytes.reset();
  }
  return curve;
}

std::vector<size_t> PointsToKeep(std::span<const MemoryPoint> points, size_t most) {
  std::vector<size_t> kept;
  if (points.size() <= most) {
    kept.resize(points.size());
    std::iota(kept.begin(), kept.end(), size_t{0});
    return kept;
  }
  kept.reserve(most);
  const auto begin = static_cast<uint64_t>(points.front().time_ns);
  const uint64_t length = static_cast<uint64_t>(points.back().time_ns) - begin;
  // Rounded up, so that the last point falls into the last stretch.
  const uint64_t stretch = length / std::max<size_t>(1, most / kKeptPerStretch) + 1;
  for (size_t first = 0; first < points.size();) {
    const uint64_t number = (static_cast<uint64_t>(points[first].time_ns) - begin) / stretch;
    size_t last = first;
    while (last < points.size() &&
           (static_cast<uint64_t>(points[last].time_ns) - begin) / stretch == number) {
      ++last;
    }
    KeepOf(points, first, last, kept);
    first = last;
  }
  return kept;
}

std::vector<MemoryPoint> ReduceCurve(std::span<const MemoryPoint> points) {
  std::vector<MemoryPoint> reduced;
  for (const size_t kept : PointsToKeep(points)) reduced.push_back(points[kept]);
  return reduced;
}

std::optional<size_t> PeakOf(std::span<const MemoryPoint> points) {
  const auto most = std::max_element(points.begin(), points.end(),
                                     [](const MemoryPoint& a, const MemoryPoint& b) {
                                       return a.allocated_bytes < b.allocated_bytes;
                                     });
  if (most == points.end()) return std::nullopt;
  return static_cast<size_t>(most - points.begin());
}

}  // namespace telltale
