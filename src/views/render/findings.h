// SPDX-License-Identifier: Apache-2.0
// What to try, on a terminal: the one place that prints recommendations.
#pragma once

#include <span>
#include <string>

#include "health/recommendation.h"
#include "views/render/terminal.h"

namespace telltale {

// Numbered, with their severity; `with_evidence`: and the rule, its threshold and its numbers.
[[nodiscard]] std::string FindingsText(std::span<const Recommendation> rows, bool with_evidence,
                                       const OutputStyle& style);

}  // namespace telltale
