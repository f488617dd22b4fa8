// SPDX-License-Identifier: Apache-2.0
// What POST /series/points asks for, and the bytes it answers with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale {

enum class CurveAxis : uint8_t { kStep, kRelative, kWall, kTag };
enum class CurveBand : uint8_t { kMinMax, kDeviation };

struct CurveChart {
  std::string tag;
  std::vector<std::string> runs;  // ids
};

struct CurveRequest {
  CurveAxis axis = CurveAxis::kStep;
  std::string axis_tag;  // of kTag
  std::optional<double> from;
  std::optional<double> to;
  size_t width = 600;  // pixels
  double smoothing = 0;
  bool hide_overwritten = true;
  bool raw = false;
  // Lines of runs that are alike become one, with a band around it. Empty: they do not; "all";
  // "config.lr": by that value.
  std::string group_by;
  CurveBand band = CurveBand::kMinMax;
  std::vector<CurveChart> charts;
};

[[nodiscard]] Result<CurveRequest> ReadCurveRequest(std::string_view body);

// A line of a chart. All columns are equally long; a NaN in x or y breaks the line there.
struct CurveLine {
  uint32_t chart = 0;
  uint32_t run = 0;    // its place in the chart's list, or the number of the group
  uint64_t total = 0;  // points in the range, before any were left out
  bool reduced = false;
  bool has_band = false;
  uint64_t points_of_tag = 0;  // of the whole series: tells whether more came meanwhile
  std::vector<double> x, y, smoothed, wall, step, low, high;
};

// Little-endian: "TTP1", the number of lines, the heads of all, then their columns.
[[nodiscard]] std::string CurveBytes(const std::vector<CurveLine>& lines);

}  // namespace telltale
