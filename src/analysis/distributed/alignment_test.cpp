// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/alignment.h"

#include <list>

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

// Several ranks, each with its own trace.
class Ranks {
 public:
  TraceBuilder& Add() { return builders_.emplace_back(); }
  std::vector<TraceBuilder*> Builders() {
    std::vector<TraceBuilder*> all;
    for (TraceBuilder& b : builders_) all.push_back(&b);
    return all;
  }
  std::vector<TraceContext> Contexts() {
    std::vector<TraceContext> contexts;
    for (TraceBuilder& b : builders_) contexts.push_back(PrepareTrace(b.trace(), {}));
    return contexts;
  }

 private:
  std::list<TraceBuilder> builders_;
};

void Gloo(TraceBuilder& b, int64_t start, int64_t end, std::string_view name = "gloo:all_reduce",
          std::string_view dims = "[[4]]") {
  const SpanRow row = b.Annotation(name, start, end, 2);
  b.OperatorDetailOf(row).input_dims = b.Text(dims);
  b.OperatorDetailOf(row).input_types = b.Text(R"(["float"])");
}

void Nccl(TraceBuilder& b, int64_t start, int64_t end, std::string_view group,
          int64_t sequence = kNoInt) {
  CollectiveDetail detail;
  detail.name = b.Text("allreduce");
  detail.group_name = b.Text(group);
  detail.sequence = sequence;
  const SpanRow row = b.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", start, end);
  b.DeviceDetailOf(row).collective = static_cast<uint32_t>(b.trace().collectives.size());
  b.trace().collectives.push_back(detail);
}

TEST(Alignment, MakesTheEndsOfCollectivesAgree) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add();
  TraceBuilder& b = ranks.Add();
  a.trace().base_time_ns = 1'000'000;
  b.trace().base_time_ns = 2'000'000;  // 5000 ahead, beside the base
  for (int64_t i = 0; i < 5; ++i) {
    Gloo(a, 100'000 * i, 100'000 * i + 50'000);
    Gloo(b, 100'000 * i + 40'000 - 1'000'000 + 5000,
         100'000 * i + 50'000 - 1'000'000 + 5000 + (i == 2 ? 700 : i));
  }
  const auto contexts = ranks.Contexts();
  const Alignment alignment = AlignRanks(contexts);
  EXPECT_EQ(alignment.files[0].source, AlignmentSource::kReference);
  EXPECT_EQ(alignment.files[0].offset_ns, 0);
  EXPECT_EQ(alignment.files[1].source, AlignmentSource::kCollectives);
  EXPECT_EQ(alignment.files[1].offset_ns, -5003);
  EXPECT_EQ(alignment.files[1].collectives, 5u);
  EXPECT_EQ(alignment.files[1].error_ns, 697);
  EXPECT_EQ(alignment.CommonTime(b.trace(), 1, 0), 2'000'000 - 5003);
}

TEST(Alignment, NoCollectiveEndsBeforeItBeganElsewhere) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add();
  TraceBuilder& b = ranks.Add();
  Gloo(a, 0, 100);
  Gloo(a, 200, 300);
  Gloo(a, 400, 500);
  Gloo(b, 0, 100);
  Gloo(b, 200, 300);
  Gloo(b, 395, 399);  // ends before it began on the other rank: the clock is at least 1 behind
  const Alignment alignment = AlignRanks(ranks.Contexts());
  EXPECT_EQ(alignment.files[1].offset_ns, 1);
  EXPECT_EQ(alignment.files[1].error_ns, 100);
  EXPECT_EQ(alignment.files[1].contradicted, 0u);
}

TEST(Alignment, MatchesThatContradictTheMedianAreNone) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add();
  TraceBuilder& b = ranks.Add();
  Gloo(a, 0, 100);
  Gloo(a, 200, 300);
  Gloo(a, 900, 1000);
  Gloo(b, 10, 105);
  Gloo(b, 210, 306);
  Gloo(b, 350, 400);  // another one: it is over before the first rank begins
  const Alignment alignment = AlignRanks(ranks.Contexts());
  EXPECT_EQ(alignment.files[1].offset_ns, -5);
  EXPECT_EQ(alignment.files[1].error_ns, 1);
  EXPECT_EQ(alignment.files[1].collectives, 2u);
  EXPECT_EQ(alignment.files[1].contradicted, 1u);
  EXPECT_EQ(alignment.contradicted, std::vector<uint32_t>{2});
}

TEST(Alignment, KeepsTheWallClockWithoutCommonCollectives) {
  Ranks ranks;
  Gloo(ranks.Add(), 0, 100);
  Gloo(ranks.Add(), 500, 600, "gloo:all_gather");
  const Alignment alignment = AlignRanks(ranks.Contexts());
  EXPECT_EQ(alignment.files[1].source, AlignmentSource::kWallClock);
  EXPECT_EQ(alignment.files[1].offset_ns, 0);
  EXPECT_EQ(alignment.files[1].error_ns, std::nullopt);
}

TEST(Alignment, DoesNotTrustBroadcasts) {
  Ranks ranks;
  Gloo(ranks.Add(), 0, 100, "gloo:broadcast");
  Gloo(ranks.Add(), 500, 600, "gloo:broadcast");
  EXPECT_EQ(AlignRanks(ranks.Contexts()).files[1].source, AlignmentSource::kWallClock);
}

TEST(Alignment, GoesThroughOtherGroupsToFilesThatShareNothingWithTheFirst) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add();
  TraceBuilder& b = ranks.Add();
  TraceBuilder& c = ranks.Add();
  Nccl(a, 0, 100, "1");
  Nccl(b, 1000, 1100, "1");
  Nccl(b, 2000, 2100, "2");
  Nccl(c, 2500, 2700, "2");
  const Alignment alignment = AlignRanks(ranks.Contexts());
  EXPECT_EQ(alignment.files[1].offset_ns, -1000);
  EXPECT_EQ(alignment.files[2].offset_ns, -1600);
}

TEST(Alignment, GroupsOfOneNameWithOtherRanksAreOthers) {
  Ranks ranks;
  for (const std::string_view members : {"[0,1]", "[0,1]", "[2,3]", "[2,3]"}) {
    TraceBuilder& b = ranks.Add();
    const auto file = static_cast<int64_t>(ranks.Builders().size());
    Nccl(b, 0, 100 * file, "1");
    b.trace().collectives[0].group_ranks = b.Text(members);
  }
  const auto contexts = ranks.Contexts();
  std::vector<std::vector<CollectiveCall>> calls;
  for (const TraceContext& context : contexts) calls.push_back(FindCollectives(context));
  const CollectiveMatches matches = MatchCollectives(contexts, calls);
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches.Of(0)[1].file, 1u);
  EXPECT_EQ(matches.Of(1)[0].file, 2u);
  EXPECT_EQ(matches.Of(1)[1].file, 3u);
  const Alignment alignment = AlignRanks(contexts, calls, matches);
  EXPECT_EQ(alignment.files[1].offset_ns, -100);
  EXPECT_EQ(alignment.files[2].source, AlignmentSource::kWallClock);
}

TEST(Alignment, MatchesBySequenceWhereCapturesBeginAtDifferentMoments) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add();
  TraceBuilder& b = ranks.Add();
  for (int64_t i = 0; i < 4; ++i) Nccl(a, 100 * i, 100 * i + 50, "0", 10 + i);
  for (int64_t i = 2; i < 6; ++i) Nccl(b, 100 * i + 7, 100 * i + 57, "0", 10 + i);
  const auto contexts = ranks.Contexts();
  const Alignment alignment = AlignRanks(contexts);
  EXPECT_EQ(alignment.files[1].offset_ns, -7);
  EXPECT_EQ(alignment.files[1].collectives, 2u);
}

TEST(Alignment, MatchesWithinStepsWhereThereIsNoSequence) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add();
  TraceBuilder& b = ranks.Add();
  for (int64_t step = 1; step <= 3; ++step) {
    a.Annotation("ProfilerStep#" + std::to_string(step), 1000 * step, 1000 * step + 900);
    Gloo(a, 1000 * step + 100, 1000 * step + 200);
  }
  for (int64_t step = 2; step <= 4; ++step) {
    b.Annotation("ProfilerStep#" + std::to_string(step), 1000 * step, 1000 * step + 900);
    Gloo(b, 1000 * step + 100, 1000 * step + 203);
  }
  EXPECT_EQ(AlignRanks(ranks.Contexts()).files[1].offset_ns, -3);
}

TEST(Alignment, DoesNotMatchCapturesOfOneRankWithEachOther) {
  Ranks ranks;
  for (const int64_t rank : {0, 1, 0, 1}) {
    TraceBuilder& b = ranks.Add();
    b.trace().distributed.rank = rank;
  }
  std::vector<TraceBuilder*> builders = ranks.Builders();
  Gloo(*builders[0], 0, 100);
  Gloo(*builders[1], 0, 130);
  Gloo(*builders[2], 5000, 5100);
  Gloo(*builders[3], 5000, 5140);
  const Alignment alignment = AlignRanks(ranks.Contexts());
  EXPECT_EQ(alignment.files[1].offset_ns, -30);
  EXPECT_EQ(alignment.files[2].source, AlignmentSource::kReference);
  EXPECT_EQ(alignment.files[3].offset_ns, -40);
}

TEST(Alignment, CountsCallsWithoutAPartner) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add();
  TraceBuilder& b = ranks.Add();
  Gloo(a, 0, 100);
  Gloo(a, 200, 300);
  Gloo(b, 0, 100);
  Nccl(b, 400, 500, "7");
  const auto contexts = ranks.Contexts();
  std::vector<std::vector<CollectiveCall>> calls;
  for (const TraceContext& context : contexts) calls.push_back(FindCollectives(context));
  const CollectiveMatches matches = MatchCollectives(contexts, calls);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches.Of(0).size(), 2u);
  EXPECT_EQ(matches.unmatched, (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(matches.alone, (std::vector<uint64_t>{0, 1}));
}

TEST(Alignment, BucketsThatAreReorderedMatchBySize) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add();
  TraceBuilder& b = ranks.Add();
  Gloo(a, 0, 100, "gloo:all_reduce", "[[8]]");
  Gloo(a, 10, 200, "gloo:all_reduce", "[[4]]");
  Gloo(b, 50, 200, "gloo:all_reduce", "[[4]]");
  Gloo(b, 60, 100, "gloo:all_reduce", "[[8]]");
  const Alignment alignment = AlignRanks(ranks.Contexts());
  EXPECT_EQ(alignment.files[1].offset_ns, 0);
  EXPECT_EQ(alignment.files[1].error_ns, 0);
}

}  // namespace
}  // namespace telltale
