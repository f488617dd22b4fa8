// SPDX-License-Identifier: Apache-2.0
// Regular expressions that users give (base/pattern.h): what is said when one is wrong, or too much
// work.
#pragma once

#include <string_view>

#include "analysis/core/context.h"
#include "base/pattern.h"
#include "base/result.h"
#include "views/params.h"

namespace telltale {

// A value of the parameter `name`; says what is wrong with it.
[[nodiscard]] Result<Pattern> ParseExpression(const ParamValues& params, std::string_view name,
                                              std::string_view text);
// An Error if one was too much work on the names of a trace.
[[nodiscard]] Result<void> CheckExpressions(const TraceContext& context);
[[nodiscard]] Error TooMuchWork(std::string_view expression);

}  // namespace telltale
