// SPDX-License-Identifier: Apache-2.0
// What traces hold, so that who shows them knows which views have something to say without making
// them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "model/subject.h"

namespace telltale {

// Those of: operators, device_events, steps (marked ones), shapes, stacks (at operators), python
// (frames), modules, memory, communication, annotations (beside steps). In this order.
[[nodiscard]] std::vector<std::string_view> CapturedIn(std::span<const TraceContext> traces);

// Its traces, and all of them, are of a tracer or sampler of functions (viztracer, py-spy): there
// is no training to measure, and the functions are the answer.
[[nodiscard]] bool AreOfFunctions(const Subject& subject);

}  // namespace telltale
