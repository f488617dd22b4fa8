// SPDX-License-Identifier: Apache-2.0
// The picture of a step: one horizontal bar, divided among the eight categories, with its legend,
// and one small bar per step. With colour the parts differ by colour, without it by their pattern.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/work/report.h"
#include "views/render/terminal.h"

namespace telltale {

// As the legend and the tables call it: "CPU" for cpu_exec.
[[nodiscard]] std::string_view LabelOf(StepCategory category);

// Divides `cells` in proportion to `parts`; the cells add up to `cells` exactly (to 0 if all parts
// are 0). A part of at least half a percent is never lost while a larger one can spare a cell.
[[nodiscard]] std::vector<size_t> Apportion(std::span<const int64_t> parts, size_t cells);

// The bar alone, exactly `width` columns unless all times are 0.
[[nodiscard]] std::string RenderStackedBar(const StepTimes& times, size_t width,
                                           const OutputStyle& style);

// Name, time and share of each category that is there, in as many columns as fit; a newline ends
// each line.
[[nodiscard]] std::string RenderLegend(const StepTimes& times, const OutputStyle& style,
                                       size_t indent);

struct StepBarRow {
  std::string label;
  int64_t duration_ns = 0;
  StepTimes categories = {};
  std::string note;  // "slowest", "incomplete"
};

// One line per step, bars on one scale.
[[nodiscard]] std::string RenderStepBars(std::span<const StepBarRow> rows, const OutputStyle& style,
                                         size_t indent);

}  // namespace telltale
