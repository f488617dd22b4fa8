// SPDX-License-Identifier: Apache-2.0
// All analyses of one trace in one call, and the joining of the reports of several traces.
#pragma once

#include <span>

#include "analysis/report.h"
#include "model/trace.h"

namespace telltale {

[[nodiscard]] ProfileReport AnalyzeTrace(const Trace& trace, const AnalysisOptions& options);

// Several files as one: rows of equal key are summed, steps and devices are listed one after the
// other with the index of their file, averages are over all complete steps.
[[nodiscard]] ProfileReport MergeReports(std::span<ProfileReport> reports);

}  // namespace telltale
