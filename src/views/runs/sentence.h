// SPDX-License-Identifier: Apache-2.0
// What opens a list of runs, in the terminal and on the page.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "views/render/terminal.h"
#include "views/runs/runs_table.h"

namespace telltale {

// "12 runs: 2 running, 9 completed, 1 failed; the newest, lr=0.1, began 2026-11-15 20:45:01 UTC and
// took 2 h 05 min." `all` is how many there are without a filter.
[[nodiscard]] std::string RunsSentence(std::span<const RunRow> rows, size_t all,
                                       const OutputStyle& style);

}  // namespace telltale
