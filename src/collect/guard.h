// SPDX-License-Identifier: Apache-2.0
// A process between the front and the collector that does nothing as long as they live. It holds
// the other ends of what the program prints into, and becomes the program's parent when the
// collector is killed. So of front, guard and collector any two may be killed: the program prints
// and records on, and its end is seen.
//   front   starts the guard, and another one when guard and collector are gone
//   guard   starts the collector, and another one when that is gone
#pragma once

#include <signal.h>

#include "collect/collector.h"
#include "collect/program.h"
#include "collect/program_state.h"
#include "io/file_gate.h"

namespace telltale {

// The rest of this process's life. Signals are blocked; `mask`: those of the program.
[[noreturn]] void RunGuard(const RecordPlan& plan, ProgramStreams streams, FileDescriptor control,
                           ProgramState& state, const sigset_t& mask);

}  // namespace telltale
