// SPDX-License-Identifier: Apache-2.0
// Whether a run's process is alive, so that nothing stays Running that is not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/run.h"
#include "runs/run_record.h"

namespace telltale {

[[nodiscard]] std::string HostName();

// When the process of that number began, ns since 1970; none: there is no such process.
[[nodiscard]] std::optional<int64_t> ProcessStart(int64_t pid);

// The status that run.json has, as it is now: Running stays only while a process of this machine
// that began before the run did is alive; on another machine nobody knows.
[[nodiscard]] std::optional<RunStatus> StatusNow(const RunHead& run);

}  // namespace telltale
