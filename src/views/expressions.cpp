// SPDX-License-Identifier: Apache-2.0
#include "views/expressions.h"

#include <fmt/format.h>

#include "views/render/display.h"

namespace telltale {

Result<Pattern> ParseExpression(const ParamValues& params, std::string_view name,
                                std::string_view text) {
  Result<Pattern> pattern = Pattern::Compile(text);
  if (pattern) return pattern;
  const Error& error = pattern.error();
  return params.Wrong(
      name, fmt::format("'{}' is no regular expression: {} (character {})", Printable(text, true),
                        error.message, error.offset.value_or(0) + 1));
}

Error TooMuchWork(std::string_view expression) {
  return {ErrorCode::kUsage,
          fmt::format("the regular expression '{}' is too much work on the names of this profile; "
                      "shorten its repetitions",
                      Printable(expression, true)),
          std::nullopt};
}

Result<void> CheckExpressions(const TraceContext& context) {
  const std::string& expression = context.facts.given_up_expression;
  if (expression.empty()) return {};
  return tl::unexpected(TooMuchWork(expression));
}

}  // namespace telltale
