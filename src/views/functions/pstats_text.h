// SPDX-License-Identifier: Apache-2.0
// --like pstats: the texts that Python's pstats prints, byte for byte: print_stats, and with
// --callers or --callees print_callers and print_callees. Names are made safe for a terminal; of
// control characters only tabs stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "views/functions/function_view.h"
#include "views/render/terminal.h"

namespace telltale {

// `limit` is one more restriction, as pstats' own number of lines.
[[nodiscard]] std::string PstatsText(const FunctionView& view, std::optional<int64_t> limit,
                                     const OutputStyle& style);

}  // namespace telltale
