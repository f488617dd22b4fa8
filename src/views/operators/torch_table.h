// SPDX-License-Identifier: Apache-2.0
// The table that torch's key_averages().table() prints, column by column and digit by digit
// (torch 2.15), for people and scripts that know it. The rows come from analyses that follow
// torch's rules (AnalysisOptions::like_torch); kernels and copies are rows of their own there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "views/profile.h"

namespace telltale {

struct TorchTableRequest {
  std::optional<std::string> sort_field =
      std::nullopt;         // see OperatorSortFields; none: order of first occurrence
  int64_t row_limit = 100;  // 0 and below: all
};

// Empty if there is no row, as torch's.
[[nodiscard]] std::string TorchTable(const Profile& profile, const TorchTableRequest& request);

// Torch's spelling of input shapes: "[[28, 28], [], []]"; a list of tensors is "[]".
[[nodiscard]] std::string TorchShapes(std::string_view input_dims_json);

}  // namespace telltale
