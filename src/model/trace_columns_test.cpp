// SPDX-License-Identifier: Apache-2.0
#include "model/trace_columns.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(TraceColumns, WalksAllOfThemOnce) {
  TraceTables tables;
  size_t count = 0;
  ForEachColumn(
      [&](auto& column) {
        EXPECT_TRUE(column.empty()) << "seen before";
        column.resize(1);
        ++count;
      },
      tables);
  EXPECT_EQ(count * sizeof(Column<char>), sizeof(TraceTables)) << "a column is missing in the walk";
  EXPECT_EQ(tables.spans.size(), 1U);
  EXPECT_EQ(tables.instants.offset.size(), 1U);
  EXPECT_GT(ColumnBytes(tables), 0U);
}

TEST(TraceColumns, WalksSeveralTablesSideBySide) {
  FlowTable from;
  from.time_ns.push_back(7);
  from.id.push_back(8);
  FlowTable to;
  ForEachColumn(
      [](const auto& source, auto& target) { target.append(source.data(), source.size()); },
      static_cast<const FlowTable&>(from), to);
  EXPECT_EQ(to.time_ns[0], 7);
  EXPECT_EQ(to.id[0], 8U);
}

}  // namespace
}  // namespace telltale
