// SPDX-License-Identifier: Apache-2.0
// The process that is there when front, guard and collector were all killed. It is in a session of
// its own and no child of theirs, holds the other ends of what the program prints into, and sleeps.
// If the three end before the run is written, it goes on as a guard: the program prints into
// what it printed into before, the user gets it, and another collector records on. Nobody is the
// program's parent then, so how it ended is known only if it recorded that itself.
#pragma once

#include <signal.h>

#include "collect/collector.h"
#include "collect/program.h"
#include "collect/program_state.h"
#include "io/file_gate.h"

namespace telltale {

// The heir waits until nobody holds the result any more: this process, and those that it forks.
// Invalid: there is no heir. Single-threaded; before the program is started. `mask`: of signals,
// for the program.
[[nodiscard]] FileDescriptor StartHeir(const RecordPlan& plan, ProgramStreams& streams,
                                       ProgramState& state, const sigset_t& mask);

}  // namespace telltale
