// SPDX-License-Identifier: Apache-2.0
// What made the difference: the causes of both sides, joined by kind and name.
#pragma once

#include <span>
#include <vector>

#include "analysis/core/context.h"
#include "views/diff/output.h"

namespace telltale {

[[nodiscard]] std::vector<DiffCause> CompareCauses(std::span<const TraceContext> before,
                                                   std::span<const TraceContext> after);

}  // namespace telltale
