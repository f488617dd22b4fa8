// SPDX-License-Identifier: Apache-2.0
// Options that mean the same for several commands: terminals, formats, threads, progress.
#pragma once

#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "views/render/terminal.h"
#include "views/view.h"

namespace telltale {

[[nodiscard]] ParamSpec ThreadsOption();
// For every command that prints: colours, width, --threads and --quiet, behind a command's own.
void AppendCommonOptions(CommandSpec& spec);
[[nodiscard]] HelpSection ExitCodeSection();

[[nodiscard]] Result<StyleRequest> MakeStyleRequest(const Arguments& arguments);
// --json, --csv or --markdown, at most one of them.
[[nodiscard]] Result<OutputFormat> FormatOf(const Arguments& arguments);
// 0: as many as the machine has.
[[nodiscard]] unsigned ThreadsOf(const Arguments& arguments);

}  // namespace telltale
