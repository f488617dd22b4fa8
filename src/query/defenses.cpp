// SPDX-License-Identifier: Apache-2.0
#include "query/defenses.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace telltale {

namespace {

// Every switch of sqlite3_db_config that concerns what SQL can do. Those left out are no defence:
// MAINDBNAME, LOOKASIDE, NO_CKPT_ON_CLOSE, TRIGGER_EQP; ENABLE_QPSG would matter if values were
// bound.
struct Setting {
  int option;
  int value;
};
constexpr std::array<Setting, 13> kSettings = {{
    // Nothing that damages a database, not even this one: no writes to shadow tables, no
    // PRAGMA writable_schema.
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
    {SQLITE_DBCONFIG_RESET_DATABASE, 0},
    // There is no schema but ours; functions and tables used from one would have to be innocuous.
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    {SQLITE_DBCONFIG_ENABLE_FKEY, 0},
    // Code: neither from a file nor, as a pointer, from a blob; and no pointer is told.
    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
    // "text" is a column or an error, never a text by accident.
    {SQLITE_DBCONFIG_DQS_DML, 0},
    {SQLITE_DBCONFIG_DQS_DDL, 0},
    // No old behaviour.
    {SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 0},
    {SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, 0},
}};

// The other settings: sorting overflows into files (which kFileSystem keeps in memory); how much is
// sorted at a time, in KiB; writes fail. cell_size_check and mmap_size are about database files,
// and there are none.
constexpr const char* kPragmas =
    "PRAGMA temp_store=FILE; PRAGMA cache_size=-8000; PRAGMA query_only=ON";

// What a statement may be made of at most, beside the lengths of SQL and of values. Beyond the
// largest sensible query, far below what would exhaust the stack or the memory.
constexpr std::array<std::pair<int, int>, 9> kLimits = {{
    {SQLITE_LIMIT_COLUMN, 500},
    {SQLITE_LIMIT_EXPR_DEPTH, 500},
    {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_VDBE_OP, 1'000'000},
    {SQLITE_LIMIT_FUNCTION_ARG, 100},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, static_cast<int>(kLongestLikePattern)},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
}};

// The virtual tables of SQLite's that remain. dbstat, sqlite_stmt, full text search, R*Trees and
// whatever else a build of SQLite brings are gone.
constexpr std::array<const char*, 3> kModulesKept = {"json_each", "json_tree", nullptr};

// PRAGMAs that only tell something about the tables and the dialect; also as pragma_*(…).
constexpr std::array<std::string_view, 6> kReadingPragmas = {
    "collation_list", "database_list", "function_list", "table_info", "table_list", "table_xinfo"};

// The functions that may be called; sorted. Each takes time in proportion to its arguments, reads
// nothing but them, and tells nothing of the process. Ours replace instr, replace, trim, like and
// glob, which nothing can stop in SQLite (text_functions.h). Left out for its cost, which is
// quadratic: json_patch. Left out for
// what they do or tell: load_extension, fts3_tokenizer, the functions of full text search and
// R*Trees, sqlite_log, sqlite_source_id, sqlite_compileoption_*; and what only makes sense to who
// writes: changes, last_insert_rowid, total_changes.
constexpr auto kFunctions = std::to_array<std::string_view>({
    "->",
    "->>",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "if",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "median",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "percentile",
    "pi",
    "pow",
    "power",
    "printf",
    "quote",
    "radians",
    "random",
    "randomblob",
    "rank",
    "regexp",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "soundex",
    "sqlite_version",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "tan",
    "tanh",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unhex",
    "unicode",
    "unixepoch",
    "unlikely",
    "upper",
    "zeroblob",
});
static_assert(std::is_sorted(kFunctions.begin(), kFunctions.end()));

template <size_t kSize>
bool Has(const std::array<std::string_view, kSize>& sorted, const char* word) {
  if (word == nullptr) return false;
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return std::binary_search(sorted.begin(), sorted.end(), std::string_view(lower));
}

int Authorize(void* declaring, int action, const char* first, const char* second, const char*,
              const char*) {
  if (*static_cast<const bool*>(declaring)) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return Has(kFunctions, second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
      return Has(kReadingPragmas, first) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

int Harden(sqlite3* connection) {
  for (const Setting& setting : kSettings) {
    const int code = sqlite3_db_config(connection, setting.option, setting.value, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return sqlite3_drop_modules(connection, const_cast<const char**>(kModulesKept.data()));
}

int Restrict(sqlite3* connection, int value_bytes, int sql_bytes, const bool* declaring) {
  // A table without CREATE is made by its first use, which the authorizer sees as a CREATE TABLE
  // that it must refuse. So they are used here.
  std::string sql = "SELECT 1 FROM json_each('[]'); SELECT 1 FROM json_tree('[]');";
  for (const std::string_view pragma : kReadingPragmas)
    sql.append("SELECT 1 FROM pragma_").append(pragma).append(" LIMIT 0;");
  const int code = sqlite3_exec(connection, (sql + kPragmas).c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return code;
  for (const auto& [limit, value] : kLimits) sqlite3_limit(connection, limit, value);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, value_bytes);
  sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, sql_bytes);
  return sqlite3_set_authorizer(connection, Authorize, const_cast<bool*>(declaring));
}

}  // namespace telltale
