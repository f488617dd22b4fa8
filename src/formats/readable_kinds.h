// SPDX-License-Identifier: Apache-2.0
// What is said when a file is of no known kind.
#pragma once

#include <string_view>

namespace telltale {

// Goes behind "expected". docs/guide.md has the same list.
constexpr std::string_view kReadableKinds =
    "a PyTorch (Kineto) or Chrome trace (JSON with a \"traceEvents\" list, or a list of events), a "
    "Perfetto trace, a Python profile (.prof), a profile of speedscope, py-spy, pyinstrument, "
    "viztracer, pprof or perf script, collapsed stacks, a log of -X importtime, a report of "
    "Lightning's profilers, or torch's memory timeline or memory snapshot (JSON)";

}  // namespace telltale
