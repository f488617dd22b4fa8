// SPDX-License-Identifier: Apache-2.0
#include "views/memory/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/units.h"

namespace telltale {

namespace {

constexpr std::array<std::string_view, 9> kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// The most of each of `width` equal stretches of time. Between two events nothing changes.
std::vector<int64_t> Columns(std::span<const MemoryPoint> points, size_t width) {
  const double start = static_cast<double>(points.front().time_ns);
  const double length = static_cast<double>(points.back().time_ns) - start;
  std::vector<int64_t> columns(width, INT64_MIN);
  for (size_t i = 0; i < points.size(); ++i) {
    const auto column_of = [&](int64_t time_ns) {
      const double share = (static_cast<double>(time_ns) - start) / length;
      const double column = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
      return std::min(static_cast<size_t>(column), width - 1);
    };
    const size_t first = column_of(points[i].time_ns);
    const size_t last = i + 1 < points.size() ? column_of(points[i + 1].time_ns) : width - 1;
    columns[first] = std::max(columns[first], points[i].allocated_bytes);
    // What lasts into further columns is at least what they begin with.
    for (size_t column = first + 1; column <= last; ++column)
      columns[column] = std::max(columns[column], points[i].allocated_bytes);
  }
  return columns;
}

}  // namespace

std::string RenderMemoryChart(std::span<const MemoryPoint> points, const OutputStyle& style,
                              const MemoryChartSize& size) {
  if (points.size() < 2 || points.back().time_ns <= points.front().time_ns) return "";
  int64_t least = INT64_MAX;
  int64_t most = INT64_MIN;
  for (const MemoryPoint& point : points) {
    least = std::min(least, point.allocated_bytes);
    most = std::max(most, point.allocated_bytes);
  }
  const int64_t floor = least > 0 && least < most / 2 ? 0 : least;
  if (most <= floor) return "";
  const std::string top = FormatBytes(most);
  const std::string bottom = FormatBytes(floor);
  const size_t label = std::max(DisplayWidth(top), DisplayWidth(bottom));
  const std::string_view axis = style.unicode ? "┤" : "|";
  const std::string_view bar = style.unicode ? "│" : "|";
  const size_t used = size.indent + label + 2;
  if (style.width < used + 10) return "";
  const size_t width = style.width - used;

  const std::vector<int64_t> columns = Columns(points, width);
  const double scale = static_cast<double>(most) - static_cast<double>(floor);
  std::string out;
  for (size_t row = size.rows; row-- > 0;) {
    const std::string_view text = row + 1 == size.rows ? std::string_view(top)
                                  : row == 0           ? std::string_view(bottom)
                                                       : std::string_view();
    std::string line;
    for (const int64_t value : columns) {
      const double height = (static_cast<double>(value) - static_cast<double>(floor)) / scale *
                            static_cast<double>(size.rows);
      const double cell = std::clamp(height - static_cast<double>(row), 0.0, 1.0);
      if (style.unicode) {
        line += kEighths[static_cast<size_t>(std::lround(cell * 8))];
      } else {
        line += cell >= 0.5 ? '#' : ' ';
      }
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += fmt::format("{:{}}{} {}{}\n", "", size.indent, PadLeft(text, label),
                       text.empty() ? bar : axis, Paint(Ink::kKernel, line, style));
  }
  const std::string length =
      FormatDuration(Difference(points.back().time_ns, points.front().time_ns), style.unicode);
  out += fmt::format("{:{}}0{}\n", "", used, PadLeft(length, width - 1));
  return out;
}

}  // namespace telltale
