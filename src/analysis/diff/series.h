// SPDX-License-Identifier: Apache-2.0
// One side of a comparison: for every name of a table a value per step.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/diff/diff.h"

namespace telltale {

// The values of one name. A sample that is not there is 0.
struct DiffSeries {
  std::vector<int64_t> samples;  // as many as the side has; empty: all in `sum` (no spread)
  int64_t sum = 0;
  uint64_t calls = 0;
};

using SeriesByName = std::map<std::string, DiffSeries, std::less<>>;

// Device time by kernel, operator and the operator's input shapes.
using KernelUses = std::map<std::tuple<std::string, std::string, std::string>, int64_t>;

struct DiffSide {
  size_t samples = 0;  // complete steps of all files, or files
  SeriesByName steps;  // "step" and its categories
  SeriesByName operators;
  SeriesByName operators_device;
  SeriesByName runtime;
  SeriesByName kernels;
  SeriesByName modules;     // sums only, over all selected steps
  size_t module_steps = 0;  // how many those are
  bool modules_on_device = false;
  KernelUses uses;
};

// Complete steps, and incomplete ones that the user asked for by number.
[[nodiscard]] bool CountsForDiff(const TraceContext& context, const Step& step);

[[nodiscard]] DiffSide CollectSide(std::span<const TraceContext> files);

}  // namespace telltale
