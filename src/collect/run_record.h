// SPDX-License-Identifier: Apache-2.0
// run.json of a run that is recorded here. Values only: who writes the file is collector.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "runs/run_record.h"

namespace telltale {

[[nodiscard]] std::string ToJson(const RunRecord& record);
// An Error where it is none that a collector wrote: whole, with a status.
[[nodiscard]] Result<RunRecord> RunRecordFrom(std::string_view json);

void SetVersion(RunRecord& record, std::string_view name, std::string_view version);

}  // namespace telltale
