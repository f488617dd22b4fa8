// SPDX-License-Identifier: Apache-2.0
// Functions that queries have beyond SQLite's own: median(x), percentile(x, p) and x REGEXP
// pattern.
#pragma once

#include <sqlite3.h>

namespace telltale {

// An SQLite result code.
[[nodiscard]] int RegisterFunctions(sqlite3* connection);

}  // namespace telltale
