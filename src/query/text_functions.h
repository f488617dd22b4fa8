// SPDX-License-Identifier: Apache-2.0
// instr, replace, trim, ltrim and rtrim as SQLite has them, in time linear in the texts. SQLite's
// own take text times pattern, which is minutes for texts of megabytes, and nothing can stop them.
#pragma once

#include <sqlite3.h>

namespace telltale {

// Makes them known to a connection, in place of SQLite's. An SQLite result code.
[[nodiscard]] int RegisterTextFunctions(sqlite3* connection);

}  // namespace telltale
