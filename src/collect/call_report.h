// SPDX-License-Identifier: Apache-2.0
// What `--profile advanced` leaves in a run's folder: for each process profiler/advanced/NAME.prof
// for pstats, NAME.pprof.gz with whole call paths, and NAME/ACTION.prof for what was called in each
// action. Written when a process has ended, in whatever way.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "collect/run_facts.h"

namespace telltale {

// The calls in the file `live`, of a process that is gone. `remark`: what is to be said of them.
// kUnreadable: it is no such file, and never will be; kUnwritable: it may be tried again.
[[nodiscard]] Result<void> WriteCalls(const std::string& live, const std::string& profiler_folder,
                                      const ProcessFacts& process, int64_t end_ns,
                                      std::string& remark);

}  // namespace telltale
