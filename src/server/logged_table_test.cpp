// SPDX-License-Identifier: Apache-2.0
#include "server/logged_table.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

using Rows = std::vector<std::vector<std::string>>;

TEST(LoggedTable, OfWandbHasItsColumnsFirst) {
  const LoggedTable table =
      ReadLoggedTable(R"({"columns":["a","b"],"data":[[1,"<b>x</b>"],[null,[1,2]]]})");
  EXPECT_EQ(table.rows, (Rows{{"a", "b"}, {"1", "<b>x</b>"}, {"", "[1,2]"}}));
  EXPECT_EQ(table.total, 2U);
}

TEST(LoggedTable, OfTrackioHasTheColumnsOfAllRows) {
  const LoggedTable table =
      ReadLoggedTable(R"({"_type":"trackio.table","_value":[{"a":1},{"b":"x","a":2.5}]})");
  EXPECT_EQ(table.rows, (Rows{{"a", "b"}, {"1", ""}, {"2.5", "x"}}));
}

TEST(LoggedTable, CountsRowsThatItLeavesOut) {
  std::string json = R"({"columns":["a"],"data":[[0])";
  for (int i = 1; i < 1000; ++i) json += ",[" + std::to_string(i) + "]";
  const LoggedTable table = ReadLoggedTable(json + "]}");
  EXPECT_EQ(table.total, 1000U);
  EXPECT_EQ(table.rows.size(), 201U);
}

TEST(LoggedTable, OfAnythingElseHasNoRows) {
  for (const char* const text : {"", "[1]", "{", "3", R"({"data":3})", R"({"_value":"x"})"}) {
    EXPECT_EQ(ReadLoggedTable(text).total, 0U) << text;
  }
}

}  // namespace
}  // namespace telltale
