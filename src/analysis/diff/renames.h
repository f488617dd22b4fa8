// SPDX-License-Identifier: Apache-2.0
// Kernels that have another name on the other side but do the same work: another architecture,
// library version or tile size. Found by what launched them.
#pragma once

#include <string>
#include <vector>

#include "analysis/diff/series.h"

namespace telltale {

struct Rename {
  std::string before;
  std::string after;
};

// Among kernels that only one side has: under the same operator with the same input shapes, the
// kernel with the most time before and the one with the most after belong together, then the
// second ones, and so on. Where operators disagree, the pair with the most common time wins; no
// kernel is in two pairs.
[[nodiscard]] std::vector<Rename> FindRenames(const DiffSide& before, const DiffSide& after);

}  // namespace telltale
