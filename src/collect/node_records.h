// SPDX-License-Identifier: Apache-2.0
// A joint run's run.json (joint_run.h): each collector writes its own record, nodes/MEMBER.json,
// and puts those of all together.
#pragma once

#include <span>

#include "base/result.h"
#include "collect/run_folder.h"
#include "collect/run_record.h"

namespace telltale {

// The run as a whole. What is said of it once is what the first to start says.
[[nodiscard]] RunRecord JoinedRecord(std::span<const RunRecord> nodes);

// Writes run.json from what is in nodes/, one collector at a time.
[[nodiscard]] Result<void> WriteJoinedRecord(const RunFolder& folder, bool sync);

}  // namespace telltale
