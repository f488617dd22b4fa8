// SPDX-License-Identifier: Apache-2.0
// Collapsed (folded) stacks: one call path and its value a line, as flame-graph tools, py-spy (raw)
// and torch's export_stacks write them. FORMAT.md beside this file.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format CollapsedFormat();

}  // namespace telltale
