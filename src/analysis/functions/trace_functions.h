// SPDX-License-Identifier: Apache-2.0
// The functions of a trace as a profile: its Python frames (with_stack), or, where a trace is not
// torch's (viztracer, py-spy), its complete events. Definition: docs/analyses/trace_functions.md.
#pragma once

#include "analysis/core/context.h"
#include "model/function_profile.h"

namespace telltale {

// The trace comes from a profiler of functions (viztracer, py-spy), not from torch.
[[nodiscard]] bool IsTraceOfFunctions(const Trace& trace);

// A tree with calls and a timeline; empty where the trace has no such events. The time of the
// selected steps only. `source` is the trace's.
[[nodiscard]] FunctionProfile FunctionsOfTrace(const TraceContext& context);

}  // namespace telltale
