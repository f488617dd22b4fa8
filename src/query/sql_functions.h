// SPDX-License-Identifier: Apache-2.0
// Functions that queries have beyond SQLite's own: median(x), percentile(x, p) and x REGEXP
// pattern.
#pragma once

#include <sqlite3.h>

#include "query/allowance.h"

namespace telltale {

// Their memory and time are the allowance's, which outlives the connection. An SQLite result code.
[[nodiscard]] int RegisterFunctions(sqlite3* connection, Allowance& allowance);

}  // namespace telltale
