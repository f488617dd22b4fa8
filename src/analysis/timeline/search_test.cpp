// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
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

SearchQuery Asked(std::string_view typed) {
  const Result<SearchQuery> query = ParseSearch(typed);
  EXPECT_TRUE(query.has_value()) << typed;
  return query ? *query : SearchQuery();
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
  request.query = Asked("ADD");
  const SearchResult result = Search(request);
  EXPECT_EQ(result.total, 3U);
  EXPECT_THAT(RowsOf(result), ElementsAre(3, 2, 0));
  ASSERT_EQ(result.names.size(), 2U);
  EXPECT_EQ(result.names[0].name, "aten::addmm");
  EXPECT_EQ(result.names[0].count, 2U);
}

TEST_F(TimelineSearchTest, StartsNearAMoment) {
  SearchRequest request;
  request.query = Asked("add");
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
  request.query = Asked("nowhere");
  EXPECT_TRUE(Search(request).names.empty());
  request.query = Asked("\xc3\x84");
  EXPECT_THAT(RowsOf(Search(request)), ElementsAre(4));
  request.query = Asked("mm");
  request.limit = 0;
  EXPECT_EQ(Search(request).total, 3U);
  EXPECT_TRUE(Search(request).matches.empty());
}

class TimelineArgumentSearchTest : public testing::Test {
 protected:
  TimelineArgumentSearchTest() {
    builder_.Operator("aten::mm", 0, 100);                              // 0
    builder_.Runtime("cudaLaunchKernel", 10, 20, 5);                    // 1
    builder_.Kernel("gemm", 200, 300, 5, /*device=*/0, /*stream=*/7);   // 2
    builder_.Operator("aten::mm", 400, 2'000'000);                      // 3
    builder_.Kernel("gemm", 500, 600, 9, /*device=*/1, /*stream=*/20);  // 4
    builder_.Memcpy("Memcpy HtoD", 700, 800, kNoUint, /*device=*/1);    // 5
    builder_.OperatorDetailOf(0).input_dims = builder_.Text("[[12,3],[3,224]]");
    builder_.OperatorDetailOf(3).input_dims = builder_.Text("[[2,3],[3,24]]");
    builder_.OperatorDetailOf(3).input_types = builder_.Text("[\"c10::BFloat16\"]");
    builder_.DeviceDetailOf(5).bytes = 2 << 20;
    DeviceDetail& kernel = builder_.DeviceDetailOf(4);
    kernel.grid[0] = 80;
    kernel.grid[1] = kernel.grid[2] = 1;
    builder_.Collective(4, "allreduce");
  }

  std::vector<SpanRow> Find(std::string_view typed) {
    const TimelineFixture timeline(builder_.trace());
    SearchRequest request;
    request.query = Asked(typed);
    const SearchResult result = SearchSpans(timeline.contexts(), timeline.index(), request);
    const std::vector<uint8_t> matching =
        MatchingSpans(timeline.contexts()[0], timeline.index().files()[0], request.query);
    EXPECT_EQ(result.total, static_cast<uint64_t>(std::ranges::count(matching, 1))) << typed;
    return RowsOf(result);
  }

  TraceBuilder builder_;
};

TEST_F(TimelineArgumentSearchTest, FindsOperatorsAndTheirKernelsByShape) {
  EXPECT_THAT(Find("shape:[2,3]"), ElementsAre(3));
  EXPECT_THAT(Find("shape:2,3"), ElementsAre(3));
  EXPECT_THAT(Find("shape:[12, 3]"), ElementsAre(0, 2));
  EXPECT_THAT(Find("arg:\"Input Dims\"=[[12,3],[3,224]] gemm"), ElementsAre(2));
  EXPECT_THAT(Find("shape:24]"), ElementsAre(3));
  EXPECT_THAT(Find("shape!=[2,3]"), ElementsAre(0, 2));
  EXPECT_THAT(Find("type:bfloat"), ElementsAre(3));
}

TEST_F(TimelineArgumentSearchTest, ComparesNumbersWithTheirUnits) {
  EXPECT_THAT(Find("stream=7"), ElementsAre(2, 5));
  EXPECT_THAT(Find("arg:stream:7 category:kernel"), ElementsAre(2));
  EXPECT_THAT(Find("device=1 stream!=7"), ElementsAre(4));
  EXPECT_THAT(Find("bytes>=2MiB"), ElementsAre(5));
  EXPECT_THAT(Find("bytes>2MiB"), ElementsAre());
  EXPECT_THAT(Find("duration>1ms"), ElementsAre(3));
  EXPECT_THAT(Find("correlation=5"), ElementsAre(1, 2));
  EXPECT_THAT(Find("grid:[80,1,1]"), ElementsAre(4));
  EXPECT_THAT(Find("collective:AllReduce"), ElementsAre(4));
  EXPECT_THAT(Find("thread:20"), ElementsAre(4));
}

TEST(TimelineSearchQuery, TakesWhatHasNoKnownKeyAsTextOfTheName) {
  EXPECT_THAT(Asked("aten::mm").texts, ElementsAre("aten::mm"));
  EXPECT_THAT(Asked("Memcpy HtoD (Pageable").texts, ElementsAre("memcpy htod (pageable"));
  EXPECT_THAT(Asked("stream=").texts, ElementsAre("stream="));  // still being typed
  EXPECT_TRUE(Asked("aten::mm").not_kept.empty());
  const SearchQuery unknown = Asked("kind=4 stream=7");
  EXPECT_THAT(unknown.texts, ElementsAre("kind=4"));
  EXPECT_THAT(unknown.not_kept, ElementsAre("kind"));
  EXPECT_EQ(unknown.conditions.size(), 1U);
  EXPECT_THAT(Asked("one two stream=7 three").texts, ElementsAre("one two", "three"));
  EXPECT_TRUE(Asked("").texts.empty());
}

TEST(TimelineSearchQuery, SaysWhatCannotBeAsked) {
  const Result<SearchQuery> unknown = ParseSearch("arg:kind=4");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("kind is not kept"));
  EXPECT_FALSE(ParseSearch("stream=seven").has_value());
  EXPECT_FALSE(ParseSearch("duration>1MiB").has_value());
  EXPECT_FALSE(ParseSearch("stream=nan").has_value());
  EXPECT_FALSE(ParseSearch("shape>[2,3]").has_value());
}

TEST(TimelineSearch, JoinsFiles) {
  TraceBuilder first;
  first.Operator("op", 100, 200);
  TraceBuilder second;
  second.Operator("op", 50, 60);
  second.Operator("op", 150, 160);
  TimelineFixture timeline({&first.trace(), &second.trace()});
  SearchRequest request;
  request.query = Asked("op");
  const SearchResult result = SearchSpans(timeline.contexts(), timeline.index(), request);
  ASSERT_EQ(result.matches.size(), 3U);
  EXPECT_EQ(result.matches[1].file, 0U);
  EXPECT_EQ(result.matches[0].start_ns, 0);
  EXPECT_EQ(result.names.size(), 1U);
}

}  // namespace
}  // namespace telltale
