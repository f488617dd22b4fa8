// SPDX-License-Identifier: Apache-2.0
// Tables as the interpreters made them of small functions, with the lines that their own
// dis.findlinestarts and co_lines give.
#include "sample/line_table.h"

#include <string>

#include <gtest/gtest.h>

namespace telltale {
namespace {

using enum LineTableKind;

TEST(LineTable, Of39StepsByBytesAndSignedLines) {
  // Three instructions in line 10, then line 12, then back to line 11.
  const std::string table = {6, 2, 4, static_cast<char>(-1)};
  EXPECT_EQ(LineAt(kLineNumbers39, table, 10, 0), 10);
  EXPECT_EQ(LineAt(kLineNumbers39, table, 10, 5), 10);
  EXPECT_EQ(LineAt(kLineNumbers39, table, 10, 6), 12);
  EXPECT_EQ(LineAt(kLineNumbers39, table, 10, 10), 11);
  EXPECT_EQ(LineAt(kLineNumbers39, table, 10, 400), 11);
}

TEST(LineTable, Of310HasStretchesAndSuchWithoutALine) {
  const std::string table = {4, 1, 6, static_cast<char>(-128), 8, 2};
  EXPECT_EQ(LineAt(kLineTable310, table, 20, 0), 21);
  EXPECT_EQ(LineAt(kLineTable310, table, 20, 3), 21);
  EXPECT_EQ(LineAt(kLineTable310, table, 20, 4), 0);
  EXPECT_EQ(LineAt(kLineTable310, table, 20, 10), 23);
  EXPECT_EQ(LineAt(kLineTable310, table, 20, 18), 20) << "beyond the table";
}

// A byte 1ccccnnn: code, and instructions - 1.
char Head(unsigned code, unsigned instructions) {
  return static_cast<char>(0x80U | code << 3 | (instructions - 1));
}

TEST(LineTable, Of311KnowsAllItsCodes) {
  std::string table;
  table += Head(0, 1);  // the same line, short columns
  table += '\x10';
  table += Head(11, 2);  // one line on
  table += "\x01\x05";
  table += Head(13, 1);  // no columns, a signed step of lines: -2
  table += '\x05';
  table += Head(14, 1);  // long: +70, end line 0, columns
  table += {static_cast<char>(64 | (140 & 63)), static_cast<char>(140 >> 6), 0, 1, 2};
  table += Head(15, 1);  // none
  EXPECT_EQ(LineAt(kLocations311, table, 5, 0), 5);
  EXPECT_EQ(LineAt(kLocations311, table, 5, 2), 6);
  EXPECT_EQ(LineAt(kLocations311, table, 5, 4), 6);
  EXPECT_EQ(LineAt(kLocations311, table, 5, 6), 4);
  EXPECT_EQ(LineAt(kLocations311, table, 5, 8), 74);
  EXPECT_EQ(LineAt(kLocations311, table, 5, 10), 0);
  EXPECT_EQ(LineAt(kLocations311, table, 5, 12), 5) << "beyond the table";
}

TEST(LineTable, AnyBytesAreTaken) {
  uint64_t state = 1;
  for (int round = 0; round < 3000; ++round) {
    std::string table;
    for (int i = 0; i < 40; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      table += static_cast<char>(state >> 56);
    }
    for (const LineTableKind kind : {kLineNumbers39, kLineTable310, kLocations311}) {
      for (int64_t offset = -2; offset < 300; offset += 7) {
        const int64_t line = LineAt(kind, table, 100, offset);
        EXPECT_LT(line, int64_t{1} << 40);
        EXPECT_GT(line, -(int64_t{1} << 40));
      }
    }
  }
}

}  // namespace
}  // namespace telltale
