// SPDX-License-Identifier: Apache-2.0
// Curves of the timeline (memory, counters): a value holds from its point to the next. A view gets
// at most one point a pixel, with the least, greatest and last value in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/work/counters.h"

namespace telltale {

enum class SeriesKind : uint8_t { kMemory, kCounter };

class Series {
 public:
  // Points in any order, finite.
  Series(SeriesKind kind, std::string name, std::string unit, std::vector<CounterPoint> points);

  [[nodiscard]] SeriesKind kind() const { return kind_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // "bytes", "share", "GB/s" …; empty: a plain number.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::vector<CounterPoint>& points() const { return points_; }
  [[nodiscard]] size_t memory_bytes() const;

  struct Extremes {
    double least = 0;
    double greatest = 0;
  };
  // Over points [first, last), which is not empty.
  [[nodiscard]] Extremes ExtremesOf(size_t first, size_t last) const;

 private:
  static constexpr size_t kBlock = 256;

  SeriesKind kind_;
  std::string name_;
  std::string unit_;
  std::vector<CounterPoint> points_;  // by time
  std::vector<Extremes> blocks_;      // of kBlock points each
};

struct SeriesBin {
  int64_t time_ns = 0;  // of its first point
  double least = 0;
  double greatest = 0;
  double last = 0;
};

// At most width + 1: the point in force at `begin_ns` comes first, with its own time.
[[nodiscard]] std::vector<SeriesBin> ViewSeries(const Series& series, int64_t begin_ns,
                                                int64_t end_ns, uint32_t width);

// More than any screen takes: of a file with more counters the first ones in the file are kept.
constexpr size_t kMostSeries = 512;

struct FileSeries {
  std::vector<Series> series;  // memory by device, computed counters, then those of the file
  uint64_t left_out = 0;       // beyond kMostSeries
};
// Allocated and reserved memory of each device, what DeviceCounters computes, and the counters of
// the capture.
[[nodiscard]] FileSeries SeriesOf(const TraceContext& context);

}  // namespace telltale
