// SPDX-License-Identifier: Apache-2.0
// What a capture lacks, and which setting of torch.profiler would have added it.
#pragma once

#include <string>
#include <vector>

#include "cli/profile.h"

namespace telltale {

struct CaptureGap {
  std::string what;    // "input shapes"
  std::string remedy;  // "record_shapes=True"
};

[[nodiscard]] std::vector<CaptureGap> CaptureGaps(const Profile& profile);

}  // namespace telltale
