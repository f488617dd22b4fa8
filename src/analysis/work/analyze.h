// SPDX-License-Identifier: Apache-2.0
// The analyses that every profile shows in one call, and the joining of the reports of several
// traces. Further analyses have functions of their own over the same context: memory.h, idle.h …
#pragma once

#include <span>

#include "analysis/core/context.h"
#include "analysis/core/options.h"
#include "analysis/work/report.h"
#include "model/trace.h"

namespace telltale {

// As its options group operators and kernels.
[[nodiscard]] ProfileReport AnalyzeTrace(const TraceContext& context);
[[nodiscard]] ProfileReport AnalyzeTrace(const Trace& trace, const AnalysisOptions& options);

// The same in two steps: by name whatever the options say, which rules go by; then as they say.
[[nodiscard]] ProfileReport AnalyzeByName(const TraceContext& context);
void Regroup(const TraceContext& context, ProfileReport& report);

// Several files as one: rows of equal key are summed, steps and devices are listed one after the
// other with the index of their file, averages are over all complete steps.
[[nodiscard]] ProfileReport MergeReports(std::span<ProfileReport> reports);

}  // namespace telltale
