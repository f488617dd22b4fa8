// SPDX-License-Identifier: Apache-2.0
// The files of numbers that projector_config.pbtxt names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale::tfevents {

// Rows of numbers.
struct ProjectorTensor {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<float> values;
};
// Tab-separated numbers; or float32, as many as the shape says; or .npy.
[[nodiscard]] Result<ProjectorTensor> ReadProjectorTensor(std::string_view bytes,
                                                          const std::vector<int64_t>& shape);

}  // namespace telltale::tfevents
