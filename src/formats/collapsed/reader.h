// SPDX-License-Identifier: Apache-2.0
// Collapsed (folded) stacks: one call path and its value a line, as flame-graph tools, py-spy (raw)
// and torch's export_stacks write them. FORMAT.md beside this file.
#pragma once

#include "formats/function_format.h"

namespace telltale {

[[nodiscard]] FunctionFormat CollapsedFormat();

}  // namespace telltale
