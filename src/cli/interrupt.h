// SPDX-License-Identifier: Apache-2.0
// Ctrl-C stops at once, whatever the program is doing, and leaves the terminal clean. Nothing that
// a command does needs to be undone: commands only read.
#pragma once

namespace telltale {

constexpr int kExitInterrupted = 130;

// SIGINT and SIGTERM erase the progress line, if there is one, and end the process with 128 +
// signal. SIGPIPE is left to the system: who pipes into head sees no complaint.
void InstallInterruptHandlers();

// Whether a progress line is on the terminal. Kept where a signal handler may read it.
void MarkProgressLine(bool visible);

}  // namespace telltale
