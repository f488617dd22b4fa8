// SPDX-License-Identifier: Apache-2.0
// Functions as SQLite has them, where nothing could stop SQLite's own. instr, replace, trim, ltrim
// and rtrim take time linear in the texts; SQLite's take text times pattern, which is minutes for
// texts of megabytes. like and glob do take text times pattern, bounded to a second, so a few
// hundred of them between two looks at the clock are minutes: these look at it themselves.
#pragma once

#include <sqlite3.h>

#include "query/allowance.h"

namespace telltale {

// Makes them known to a connection, in place of SQLite's. The allowance outlives it. An SQLite
// result code.
[[nodiscard]] int RegisterTextFunctions(sqlite3* connection, Allowance& allowance);

}  // namespace telltale
