// SPDX-License-Identifier: Apache-2.0
// SQL that wants more than it may have: time, memory, functions and tables that are not for it.
#include <algorithm>
#include <ctime>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "query/allowance.h"
#include "query/query_fixture.h"

namespace telltale {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kMegabyte = 1 << 20;

// SELECT over the numbers 1, 2, 3 … as c(x), up to a last one or without end.
std::string Numbers(const std::string& select, const std::string& limit = "") {
  return "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c" + limit + ") SELECT " +
         select;
}

// A text of that many a's.
std::string Long(int64_t bytes) { return "printf('%.*c', " + std::to_string(bytes) + ", 'a')"; }

class Limits : public testing::Test {
 protected:
  Limits() {
    TraceBuilder builder;
    const SpanRow addmm = builder.Operator("aten::addmm", 0, 100);
    builder.OperatorDetailOf(addmm).input_dims = builder.Text("[[2,3],[3,4]]");
    builder.Operator(std::string(5000, 'a'), 200, 300);
    input.subject.Add(Artifact(std::move(builder.trace())));
  }

  static QueryError::Kind KindOf(Database& database, std::string_view sql) {
    QueryResult<Statement> statement = database.Prepare(sql);
    if (!statement) return statement.error().kind;
    while (true) {
      const QueryResult<bool> more = statement->Next();
      if (!more) return more.error().kind;
      if (!*more) break;
    }
    ADD_FAILURE() << sql << " came to its end";
    return {};
  }

  QueryInput input;
};

TEST_F(Limits, FunctionsThatTellOrDoMoreThanComputeAreRefused) {
  Database database(input);
  for (const std::string& call : std::vector<std::string>{
           "fts3_tokenizer('simple')", "fts3_tokenizer('simple', x'00')", "load_extension('x')",
           "sqlite_log(1, 'x')", "sqlite_source_id()", "sqlite_compileoption_get(1)",
           "fts5_source_id()", "rtreenode(2, x'00')", "last_insert_rowid()",
           "json_patch('{}', '{}')", "FTS3_TOKENIZER('simple')"}) {
    EXPECT_THAT(OneOf(database, "SELECT hex(" + call + ")"), HasSubstr("cannot be used in a query"))
        << call;
  }
  // Whatever else this build of SQLite has was decided on, one way or the other.
  const std::set<std::string> refused = {"bm25",
                                         "changes",
                                         "fts3_tokenizer",
                                         "fts5",
                                         "fts5_source_id",
                                         "highlight",
                                         "json_patch",
                                         "last_insert_rowid",
                                         "load_extension",
                                         "match",
                                         "matchinfo",
                                         "offsets",
                                         "optimize",
                                         "rtreecheck",
                                         "rtreedepth",
                                         "rtreenode",
                                         "snippet",
                                         "sqlite_compileoption_get",
                                         "sqlite_compileoption_used",
                                         "sqlite_log",
                                         "sqlite_source_id",
                                         "subtype",
                                         "total_changes"};
  for (const std::string& row :
       RowsOf(database, "SELECT DISTINCT name, max(narg, 0) FROM pragma_function_list")) {
    const size_t bar = row.find('|');
    const std::string name = row.substr(0, bar);
    if (name.starts_with("->")) continue;  // an operator
    std::string call = "\"" + name + "\"(";
    for (int i = 0; i < std::stoi(row.substr(bar + 1)); ++i) call += i == 0 ? "1" : ", 1";
    const auto statement = database.Prepare("SELECT " + call + ")");
    const bool is_refused =
        !statement && statement.error().message.ends_with("cannot be used in a query");
    EXPECT_EQ(is_refused, refused.contains(name)) << call;
  }
}

TEST_F(Limits, OfSqlitesOwnTablesThoseOfJsonRemain) {
  Database database(input);
  for (const std::string& table : std::vector<std::string>{
           "dbstat", "sqlite_stmt", "sqlite_dbpage", "fts3tokenize", "fts5vocab", "bytecode('x')",
           "tables_used('x')", "completion('S')", "generate_series(1, 2)", "pragma_compile_options",
           "pragma_hard_heap_limit(1)", "pragma_journal_mode"}) {
    EXPECT_THAT(OneOf(database, "SELECT count(*) FROM " + table), StartsWith("error: ")) << table;
  }
  EXPECT_THAT(RowsOf(database, "SELECT value FROM json_each('[1,2]')"), ElementsAre("1", "2"));
  EXPECT_THAT(RowsOf(database,
                     "SELECT o.name, j.value, json_array_length(j.value) FROM operators o, "
                     "json_each(o.input_shapes) j"),
              ElementsAre("aten::addmm|[2,3]|2", "aten::addmm|[3,4]|2"));
  EXPECT_EQ(OneOf(database,
                  "SELECT sum(atom) FROM operators o, json_tree(o.input_shapes) WHERE o.id = 0"),
            "12");
  EXPECT_EQ(OneOf(database, "SELECT name FROM pragma_table_info('steps') LIMIT 1"), "file");
  EXPECT_EQ(OneOf(database, "WITH dbstat AS (SELECT 1) SELECT count(*) FROM dbstat"), "1");
}

TEST_F(Limits, TextFunctionsAreLinear) {
  // SQLite's own would take from minutes to days for each.
  Database database(input);
  const std::string text = Long(10'000'000);
  EXPECT_EQ(OneOf(database, "SELECT instr(" + text + ", " + Long(5'000'000) + " || 'b')"), "0");
  EXPECT_EQ(OneOf(database, "SELECT instr(" + text + " || 'b', " + Long(5'000'000) + " || 'b')"),
            "5000001");
  EXPECT_EQ(
      OneOf(database, "SELECT length(replace(" + text + ", " + Long(5'000'000) + " || 'b', 'c'))"),
      "10000000");
  EXPECT_EQ(OneOf(database, "SELECT length(replace(" + text + ", 'aa', 'b'))"), "5000000");
  const std::string set = "printf('%.*c', 1000000, 'é') || 'a'";
  EXPECT_EQ(OneOf(database, "SELECT length(trim(" + text + ", " + set + "))"), "0");
  EXPECT_EQ(OneOf(database, "SELECT length(rtrim('b' || " + text + ", " + set + "))"), "1");
}

TEST_F(Limits, PatternsAreBounded) {
  Database database(input, {.value_bytes = 1'000'000});
  const std::string pattern(501, 'a');
  // For a table that searches itself, and for SQLite.
  for (const std::string& column : std::vector<std::string>{"name", "+name"}) {
    for (const std::string& comparison : std::vector<std::string>{" LIKE '%", " GLOB '*"}) {
      EXPECT_THAT(OneOf(database,
                        "SELECT count(*) FROM events WHERE " + column + comparison + pattern + "'"),
                  HasSubstr("too complex"));
      EXPECT_EQ(OneOf(database, "SELECT count(*) FROM events WHERE " + column + comparison +
                                    pattern.substr(2) + "'"),
                "1");
    }
    EXPECT_THAT(OneOf(database, "SELECT count(*) FROM events WHERE " + column +
                                    " REGEXP '((a{100}){100}){100}'"),
                HasSubstr("at most 1000 with those inside it"));
  }
  EXPECT_THAT(
      OneOf(database,
            "SELECT (SELECT group_concat(CASE WHEN x * x * 7919 % 1000003 < 500000 THEN 'b' ELSE "
            "'a' END, '') FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
            "SELECT x + 1 FROM c LIMIT 200000) SELECT x FROM c)) REGEXP "
            "'(a|b)*a(a|b){1000}c'"),
      HasSubstr("too much work on a text of 200000 bytes"));
}

TEST_F(Limits, TextsGrowInLargeSteps) {
  // SQLite grows a text byte by byte where it nears the limit.
  EXPECT_EQ(InstallCountedMemory(), SQLITE_OK);
  void* memory = sqlite3_malloc(500'000);
  int moves = 0;
  for (int size = 500'001; size <= 1'000'000; ++size) {
    const sqlite3_uint64 before = sqlite3_msize(memory);
    memory = sqlite3_realloc(memory, size);
    ASSERT_NE(memory, nullptr);
    moves += sqlite3_msize(memory) == before ? 0 : 1;
  }
  sqlite3_free(memory);
  EXPECT_LT(moves, 20);
}

TEST_F(Limits, ValuesAndSqlHaveAGreatestLength) {
  Database database(input, {.value_bytes = 1'000'000, .sql_bytes = 64 << 10});
  EXPECT_EQ(OneOf(database, "SELECT length(" + Long(999'000) + ")"), "999000");
  for (const std::string& value :
       std::vector<std::string>{Long(1'001'000), "zeroblob(1001000)", "hex(zeroblob(600000))",
                                "replace(" + Long(500'000) + ", 'a', 'bbb')"}) {
    const std::string answer = OneOf(database, "SELECT length(" + value + ")");
    EXPECT_THAT(answer, AnyOf(HasSubstr("too big"), "NULL")) << value;
  }
  EXPECT_THAT(OneOf(database, "SELECT 1" + std::string(64 << 10, ' ')), HasSubstr("64 KiB"));
}

TEST_F(Limits, PreparingIsTimed) {
  // Each name stands for two of the one before: written out, there is no end to it.
  std::string doubling = "WITH c0 AS (SELECT 1 AS x)";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "c" + std::to_string(i - 1);
    doubling += ", c" + std::to_string(i) + " AS (SELECT a.x FROM " + before + " a, " + before +
                " b WHERE a.x = b.x)";
  }
  doubling += " SELECT * FROM c59";
  Database quick(input, {.time = std::chrono::milliseconds(20)});
  EXPECT_EQ(KindOf(quick, doubling), QueryError::Kind::kTime);
  Database database(input, {.time = std::chrono::minutes(5)});
  EXPECT_EQ(KindOf(database, doubling), QueryError::Kind::kMemory);
  EXPECT_EQ(OneOf(database, "SELECT count(*) FROM events"), "2") << "that is over and forgotten";
}

TEST_F(Limits, SortingLooksAtTheClock) {
  // Sorted in one piece, rows of many equal columns hold up a query long after its time: three
  // quarters of all it does is one instruction.
  std::string order = "x % 7";
  for (int i = 1; i < 400; ++i) order += ", x * 0 - " + std::to_string(i);
  std::clock_t last = std::clock();
  std::clock_t longest = 0;
  Database database(input, {.time = std::chrono::minutes(5), .canceled = [&] {
                              const std::clock_t now = std::clock();
                              longest = std::max(longest, now - last);
                              last = now;
                              return false;
                            }});
  const std::clock_t begin = std::clock();
  EXPECT_EQ(OneOf(database, "SELECT count(*) FROM (" +
                                Numbers("x FROM c ORDER BY " + order, " LIMIT 20000") +
                                " LIMIT -1 OFFSET 1)"),
            "19999");
  const std::clock_t all = std::clock() - begin;
  EXPECT_LT(longest, all / 4) << "of the program's own time, between two looks";
}

TEST_F(Limits, CostlyPatternsLookAtTheClockEach) {
  // SQLite would look after many rows, and each row may take a second.
  int asked = 0;
  Database database(input, {.time = std::chrono::minutes(5), .canceled = [&] {
                              ++asked;
                              return false;
                            }});
  const std::string text = "(SELECT t FROM (SELECT " + Long(20'000) + " || 'b' AS t))";
  for (const std::string& condition :
       std::vector<std::string>{" LIKE '%aaaab_' || x", " LIKE '%aaaab_' || x ESCAPE '%'",
                                " GLOB '*aaaab?' || x", " REGEXP '(a|b)*a(a|b){200}' || x"}) {
    std::string sql = "SELECT 0";
    for (int i = 0; i < 20; ++i) sql += " + (" + text + condition + ")";
    QueryResult<Statement> statement = database.Prepare(sql + " FROM (SELECT 1 AS x)");
    ASSERT_TRUE(statement) << statement.error().message;
    asked = 0;
    EXPECT_TRUE(statement->Next().value_or(false));
    EXPECT_GE(asked, 20) << condition;
  }
}

TEST_F(Limits, ACanceledQueryEnds) {
  int left = 1 << 20;
  Database database(input,
                    {.time = std::chrono::minutes(5), .canceled = [&] { return --left < 0; }});
  for (const int asked : {0, 1, 10, 1000}) {
    left = asked;
    EXPECT_EQ(KindOf(database, Numbers("count(*) FROM c")), QueryError::Kind::kCanceled) << asked;
  }
  left = 100;
  EXPECT_EQ(KindOf(database, Numbers("count(*) FROM c, events e WHERE e.name LIKE '%' || x")),
            QueryError::Kind::kCanceled);
  left = 1 << 20;
  EXPECT_EQ(OneOf(database, "SELECT count(*) FROM events"), "2");
}

TEST_F(Limits, MemoryIsCountedForEachQueryAndForAll) {
  const std::string hungry = "SELECT sum(length(t)) FROM (" +
                             Numbers(Long(900'000) + " || x AS t FROM c ORDER BY 1", " LIMIT 20") +
                             ")";
  Database large(input);
  Database small(input, {.memory_bytes = 16 * kMegabyte});
  EXPECT_EQ(KindOf(small, hungry), QueryError::Kind::kMemory);
  EXPECT_EQ(OneOf(large, hungry), "18000031") << "whatever limit another query has";
  // What one has taken the next has not; what it gave back counts no more.
  Database second(input, {.all_memory_bytes = 64 * kMegabyte});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(OneOf(second, hungry), "18000031");
  QueryResult<Statement> held =
      large.Prepare(Numbers(Long(900'000) + " || x AS t FROM c ORDER BY 1", " LIMIT 60"));
  ASSERT_TRUE(held && held->Next().value_or(false));
  EXPECT_EQ(KindOf(second, hungry), QueryError::Kind::kMemory);
  EXPECT_EQ(OneOf(large, hungry), "18000031");
}

TEST_F(Limits, MemoryOfOurOwnCounts) {
  Database database(input, {.time = std::chrono::minutes(5), .memory_bytes = 16 * kMegabyte});
  for (const std::string& query : std::vector<std::string>{
           // values kept for the median
           Numbers("median(x) FROM c"),
           // texts that are compared with a column
           Numbers("count(*) FROM c JOIN events e ON e.kind = " + Long(100'000) + " || x"),
           // sorted, in files that are memory
           Numbers("x FROM c ORDER BY x * 7919 % 1000003"),
           Numbers("count(DISTINCT x * 7919) FROM c")}) {
    EXPECT_EQ(KindOf(database, query), QueryError::Kind::kMemory) << query;
    EXPECT_EQ(OneOf(database, "SELECT median(x) FROM (SELECT 1 AS x UNION SELECT 3)"),
              "real 2.000000");
  }
}

TEST_F(Limits, NamesOfColumnsAreBounded) {
  Database database(input);
  EXPECT_THAT(OneOf(database,
                    "SELECT t.*, t.*, t.*, t.*, t.*, t.*, t.*, t.*, t.*, t.*, t.* FROM "
                    "(SELECT 1 AS " +
                        std::string(100'000, 'n') + ") t"),
              HasSubstr("longer than 1 MiB"));
  const std::string name(50'000, 'n');
  std::string sql = "SELECT * FROM (SELECT 1 AS " + name + ") t0";
  for (int i = 1; i < 60; ++i) sql += ", (SELECT 1 AS n) t" + std::to_string(i);
  const auto statement = database.Prepare(sql);
  ASSERT_TRUE(statement) << statement.error().message;
  EXPECT_EQ(statement->columns()[0], name);
  EXPECT_EQ(statement->columns()[59], "n_59");
}

}  // namespace
}  // namespace telltale
