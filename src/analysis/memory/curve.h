// SPDX-License-Identifier: Apache-2.0
// How much of a device's memory was in use over time, its peaks, and the curve reduced to what a
// chart can show.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/core/steps.h"
#include "analysis/memory/events.h"
#include "analysis/memory/report.h"
#include "model/trace.h"

namespace telltale {

constexpr size_t kMostCurvePoints = 2000;

struct MemoryCurve {
  std::vector<MemoryPoint> points;
  std::vector<uint32_t> positions;  // in PlaceInstants::rows, one per point
  bool relative = false;
  bool has_reserved = false;  // some point has more than nothing reserved
};

// The totals as captured or, where a device has none, the running sum of its instants. Only points
// in the selected time are kept; the sum runs over all. Times as in the trace.
[[nodiscard]] MemoryCurve CurveOf(const Trace& trace, const PlaceInstants& instants,
                                  const Selection& selection);

// Which points a chart needs, at most so many: a quarter as many stretches of equal time keep their
// least and greatest allocation, their greatest reservation and their last point. Input by time.
[[nodiscard]] std::vector<size_t> PointsToKeep(std::span<const MemoryPoint> points,
                                               size_t most = kMostCurvePoints);
[[nodiscard]] std::vector<MemoryPoint> ReduceCurve(std::span<const MemoryPoint> points);

// The first of the greatest allocations; none without points.
[[nodiscard]] std::optional<size_t> PeakOf(std::span<const MemoryPoint> points);

}  // namespace telltale
