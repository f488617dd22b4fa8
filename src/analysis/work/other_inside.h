// SPDX-License-Identifier: Apache-2.0
// What steps do while nothing of their other categories runs: the user's range or Python function
// around each such stretch, else its place among the operators. Definition: docs/analyses/steps.md.
#pragma once

#include <vector>

#include "analysis/core/context.h"

namespace telltale {

// The averages are over the steps of `other`, and add up to that of StepCategory::kOther.
[[nodiscard]] std::vector<OtherRow> DescribeOther(const TraceContext& context,
                                                  const std::vector<OtherTime>& other);

}  // namespace telltale
