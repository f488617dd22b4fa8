// SPDX-License-Identifier: Apache-2.0
// Options that mean the same for several commands, and what their values say.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "base/pattern.h"
#include "base/result.h"
#include "views/options.h"
#include "views/render/terminal.h"

namespace telltale {

[[nodiscard]] OptionSpec RankOption();
[[nodiscard]] OptionSpec StepAnnotationOption();
[[nodiscard]] OptionSpec ThreadsOption();
// For every command that prints.
[[nodiscard]] std::vector<OptionSpec> StyleOptions();
// Those, and --threads and --quiet, behind a command's own.
void AppendCommonOptions(CommandSpec& spec);
[[nodiscard]] HelpSection ExitCodeSection();

[[nodiscard]] Result<StyleRequest> MakeStyleRequest(const Arguments& arguments);
// The value of an option that takes a regular expression (pattern.h); says what is wrong with it.
[[nodiscard]] Result<Pattern> ParseExpression(std::string_view option, std::string_view text);
// An Error if one was too much work on the names of a trace.
[[nodiscard]] Result<void> CheckExpressions(const TraceContext& context);
[[nodiscard]] Error TooMuchWork(std::string_view expression);
// 0: as many as the machine has.
[[nodiscard]] unsigned ThreadsOf(const Arguments& arguments);

}  // namespace telltale
