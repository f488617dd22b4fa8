// SPDX-License-Identifier: Apache-2.0
// What keeps SQL that anybody may send harmless: every setting of SQLite's own list "Defense
// Against The Dark Arts" (sqlite.org/security.html), its limits, and what a statement may name.
// Time and memory are allowance.h's.
#pragma once

#include <cstddef>
#include <string_view>

#include <sqlite3.h>

namespace telltale {

// The longest pattern of LIKE and GLOB, in bytes. Their cost is text times pattern: with this a
// text of 1 MB takes a second at worst.
constexpr size_t kLongestLikePattern = 500;

// Where sorting and DISTINCT put what exceeds their cache: the files of this file system are
// memory. With files SQLite sorts a few megabytes at a time and looks at the clock in between; told
// to use memory itself, it sorts everything in one instruction, which nothing can stop (and which
// is slower).
constexpr const char* kFileSystem = "memdb";

// Settings, and which of SQLite's tables remain. Before our own are made known. An SQLite result
// code.
[[nodiscard]] int Harden(sqlite3* connection);

// Limits, and the authorizer: from then on only what queries may do works, except while `declaring`
// is true, which outlives the connection. An SQLite result code.
[[nodiscard]] int Restrict(sqlite3* connection, int value_bytes, int sql_bytes,
                           const bool* declaring);

}  // namespace telltale
