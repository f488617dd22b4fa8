// SPDX-License-Identifier: Apache-2.0
// What is to say about a capture beside its numbers: what it lacks, with the setting of
// torch.profiler that would have added it, and in one line what could not be used.
#pragma once

#include <string>
#include <vector>

#include "views/profile.h"

namespace telltale {

struct CaptureGap {
  std::string what;    // "input shapes"
  std::string remedy;  // "record_shapes=True"
};

[[nodiscard]] std::vector<CaptureGap> CaptureGaps(const Profile& profile);

// "1 truncated, 3 malformed_event", counted over all files; empty if nothing that severe was found.
[[nodiscard]] std::string SummaryOfDiagnostics(const Profile& profile, Severity least);

}  // namespace telltale
