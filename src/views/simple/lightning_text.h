// SPDX-License-Identifier: Apache-2.0
// --like lightning: the report of Lightning's SimpleProfiler, byte for byte as its `extended` one
// (Lightning 1.6 and later), of each file. The stage, which a run does not have, is left out; where
// there are several files, theirs is in its place. Total is the time from the first action to the
// end of the last one. Names are made safe for a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/render/terminal.h"
#include "views/simple/action_row.h"

namespace telltale {

// In the order of `rows`; `limit` is of each file, 0 or none: all.
[[nodiscard]] std::string LightningText(const std::vector<ActionRow>& rows,
                                        const std::vector<std::string>& labels,
                                        std::optional<int64_t> limit, const OutputStyle& style);

}  // namespace telltale
