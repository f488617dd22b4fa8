// SPDX-License-Identifier: Apache-2.0
// Our text functions beside SQLite's own, on the same short texts.
#include "query/text_functions.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "query/allowance.h"

namespace telltale {
namespace {

class Connection {
 public:
  explicit Connection(bool ours) {
    // Before SQLite starts, as other tests in this program need it.
    EXPECT_EQ(InstallCountedMemory(), SQLITE_OK);
    EXPECT_EQ(sqlite3_open(":memory:", &handle_), SQLITE_OK);
    EXPECT_EQ(ours ? RegisterTextFunctions(handle_, allowance_) : SQLITE_OK, SQLITE_OK);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close(handle_); }

  // Type and content of the only value.
  std::string Ask(const std::string& expression) {
    const std::string sql =
        "SELECT typeof(v) || ' ' || quote(v) FROM (SELECT " + expression + " AS v)";
    std::string out = "none";
    const auto take = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0] == nullptr ? "NULL" : values[0];
      return 0;
    };
    char* message = nullptr;
    if (sqlite3_exec(handle_, sql.c_str(), take, &out, &message) != SQLITE_OK) {
      out = std::string("error: ") + (message == nullptr ? "" : message);
      sqlite3_free(message);
    }
    return out;
  }

 private:
  Allowance allowance_ = Allowance({});
  sqlite3* handle_ = nullptr;
};

TEST(TextFunctions, AgreeWithSqlites) {
  Connection theirs(false);
  Connection ours(true);
  uint32_t random = 7;
  const auto next = [&](uint32_t below) {
    random = random * 1664525 + 1013904223;
    return (random >> 16U) % below;
  };
  const std::vector<std::string> letters = {"a", "b", " ", "é", "日", "😀", "%"};
  const auto text = [&](uint32_t longest) {
    std::string out;
    for (uint32_t i = next(longest + 1); i > 0; --i)
      out += letters[next(static_cast<uint32_t>(letters.size()))];
    return out;
  };
  const auto value = [&](uint32_t longest) -> std::string {
    switch (next(12)) {
      case 0:
        return "NULL";
      case 1:
        return std::to_string(next(200));
      case 2:
        return "1.5";
      case 3:
        return "CAST('" + text(longest) + "' AS BLOB)";
      default:
        return "'" + text(longest) + "'";
    }
  };
  const std::vector<std::string> escapes = {"'%'",  "'_'", "'a'",  "'é'", "'*'",
                                            "'ab'", "''",  "NULL", "7"};
  const std::vector<std::string> wildcards = {"%", "_", "*", "?", "[a-b]", "[^a]", "A", "\x01"};
  const auto pattern = [&] {
    std::string out;
    for (uint32_t part = next(4); part > 0; --part) {
      out += text(2);
      out += wildcards[next(static_cast<uint32_t>(wildcards.size()))];
    }
    return next(10) == 0 ? value(2) : "'" + out + "'";
  };
  for (int i = 0; i < 40'000; ++i) {
    std::string call;
    switch (next(5)) {
      case 0:
        call = "instr(" + value(9) + ", " + value(3) + ")";
        break;
      case 1:
        call = "replace(" + value(9) + ", " + value(2) + ", " + value(3) + ")";
        break;
      case 2:
        call = std::vector<std::string>{"like", "glob"}[next(2)] + "(" + pattern() + ", " +
               value(6) + ")";
        break;
      case 3:
        call = "like(" + pattern() + ", " + value(6) + ", " + escapes[next(9)] + ")";
        break;
      default:
        call = std::vector<std::string>{"trim", "ltrim", "rtrim"}[next(3)] + "(" + value(9) +
               (next(3) == 0 ? ")" : ", " + value(3) + ")");
        break;
    }
    ASSERT_EQ(ours.Ask(call), theirs.Ask(call)) << call;
  }
}

TEST(TextFunctions, TakeTextsThatAreNotUtf8) {
  Connection theirs(false);
  Connection ours(true);
  for (const std::string& call : std::vector<std::string>{
           "instr(CAST(x'61c3' AS TEXT), CAST(x'c3' AS TEXT))", "instr(x'80808061', 'a')",
           "instr(CAST(x'8080' AS TEXT), CAST(x'80' AS TEXT))",
           "instr(CAST(x'618080' AS TEXT), CAST(x'80' AS TEXT))", "instr(x'618080', x'80')",
           "trim(x'c3c361', x'c3')", "rtrim(CAST(x'618080' AS TEXT), CAST(x'80' AS TEXT))",
           "trim('a' || char(0) || 'a', 'a')", "trim('aba', 'a' || char(0) || 'b')",
           "replace('abc', char(0), 'x')", "instr('', '')", "replace('', '', '')", "trim('')",
           "trim(x'', x'')"}) {
    EXPECT_EQ(ours.Ask(call), theirs.Ask(call)) << call;
  }
}

}  // namespace
}  // namespace telltale
