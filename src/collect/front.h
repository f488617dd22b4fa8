// SPDX-License-Identifier: Apache-2.0
// `telltale run` as the user sees it: the process that was started, in the foreground of the
// terminal. It forwards signals and what is typed, waits, and ends as the program ended. All
// recording is done by the collector, the parent of the program, and between the two is a guard
// (guard.h), both in process groups of their own:
//
//   front ──▶ guard ──▶ collector ──▶ program
//
// Any two of the three may be killed. Without the front the collector goes on and writes the run to
// its end. Without the collector the program becomes a child of the guard, or, if that is gone,
// too, of the front (both are "subreapers"), which starts another collector; all three hold the
// reading ends of what the program prints, so that it notices nothing. For the case that all three
// are killed there is an heir (heir.h). With that gone, too, the program sees its output closed, as
// when a terminal goes.
#pragma once

#include "collect/collector.h"

namespace telltale {

struct FrontResult {
  int exit_code = 0;
  std::string line;     // what is to be said at the end
  std::string problem;  // the program could not be started
};

// Single-threaded; forks. Signals that the program is to get are blocked from here on.
[[nodiscard]] FrontResult RunInFront(const RecordPlan& plan);

}  // namespace telltale
