// SPDX-License-Identifier: Apache-2.0
// The line of an instruction, from the table that a code object carries. Each table is a row of
// steps from the first line and the first instruction on; the three forms differ in what a step is.
// Any bytes are taken: a step that makes no sense ends the search.
#pragma once

#include <cstdint>
#include <string_view>

#include "sample/python_layout.h"

namespace telltale {

// `offset`: of the instruction, in bytes. `first_line` where the table does not say, 0 or less
// where it says that there is none.
[[nodiscard]] int64_t LineAt(LineTableKind kind, std::string_view table, int64_t first_line,
                             int64_t offset);

}  // namespace telltale
