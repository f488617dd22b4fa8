// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analysis/timeline/timeline_fixture.h"

namespace telltale {
namespace {

using ::testing::ElementsAre;

std::vector<SpanRow> RowsOf(const SearchResult& result) {
  std::vector<SpanRow> rows;
  for (const SearchMatch& match : result.matches) rows.push_back(match.row);
  return rows;
}

class TimelineSearchTest : public testing::Test {
 protected:
  TimelineSearchTest() {
    builder_.Operator("aten::addmm", 500, 600);     // 0
    builder_.Operator("aten::mm", 0, 100);          // 1
    builder_.Kernel("AddKernel<float>", 300, 400);  // 2
    builder_.Operator("aten::addmm", 200, 250);     // 3
    builder_.Operator("\xc3\x84pfel", 700, 800);    // 4
  }

  SearchResult Search(const SearchRequest& request) {
    const TimelineFixture timeline(builder_.trace());
    return SearchSpans(timeline.contexts(), timeline.index(), request);
  }

  TraceBuilder builder_;
};

TEST_F(TimelineSearchTest, IgnoresCaseAndGivesTimeOrder) {
  SearchRequest request;
  request.text = "ADD";
  const SearchResult result = Search(request);
  EXPECT_EQ(result.total, 3U);
  EXPECT_THAT(RowsOf(result), ElementsAre(3, 2, 0));
  ASSERT_EQ(result.names.size(), 2U);
  EXPECT_EQ(result.names[0].name, "aten::addmm");
  EXPECT_EQ(result.names[0].count, 2U);
}

TEST_F(TimelineSearchTest, StartsNearAMoment) {
  SearchRequest request;
  request.text = "add";
  request.near_ns = 300;
  EXPECT_THAT(RowsOf(Search(request)), ElementsAre(2, 0));
  request.limit = 1;
  EXPECT_THAT(RowsOf(Search(request)), ElementsAre(2));
  request.backwards = true;
  EXPECT_THAT(RowsOf(Search(request)), ElementsAre(3));
  EXPECT_EQ(Search(request).total, 3U);
}

TEST_F(TimelineSearchTest, FindsNothingForNothing) {
  SearchRequest request;
  EXPECT_EQ(Search(request).total, 0U);
  request.text = "nowhere";
  EXPECT_TRUE(Search(request).names.empty());
  request.text = "\xc3\x84";
  EXPECT_THAT(RowsOf(Search(request)), ElementsAre(4));
  request.text = "mm";
  request.limit = 0;
  EXPECT_EQ(Search(request).total, 3U);
  EXPECT_TRUE(Search(request).matches.empty());
}

TEST(TimelineSearch, JoinsFiles) {
  TraceBuilder first;
  first.Operator("op", 100, 200);
  TraceBuilder second;
  second.Operator("op", 50, 60);
  second.Operator("op", 150, 160);
  TimelineFixture timeline({&first.trace(), &second.trace()});
  SearchRequest request;
  request.text = "op";
  const SearchResult result = SearchSpans(timeline.contexts(), timeline.index(), request);
  ASSERT_EQ(result.matches.size(), 3U);
  EXPECT_EQ(result.matches[1].file, 0U);
  EXPECT_EQ(result.matches[0].start_ns, 0);
  EXPECT_EQ(result.names.size(), 1U);
}

}  // namespace
}  // namespace telltale
