// SPDX-License-Identifier: Apache-2.0
// The engine: what is kept of several ranks, which rules a view runs, and that an analysis is made
// once.
#include "health/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "health/fixture.h"

namespace telltale::health {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Advise : public AdviceTest {
 protected:
  // A step of 100 ms: 30 ms of input, then an operator, on each of so many threads' traces.
  void Step() {
    builder_.Annotation("ProfilerStep#1", 0, 100 * kMs);
    builder_.Annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 30 * kMs);
    builder_.Operator("aten::mm", 30 * kMs, 100 * kMs);
  }
  static std::vector<std::string> RulesOf(const std::vector<Recommendation>& rows) {
    std::vector<std::string> rules;
    for (const Recommendation& row : rows) rules.push_back(row.rule);
    return rules;
  }
};

TEST_F(Advise, FollowsTheCausesAndSaysWhatTheyCost) {
  builder_.trace().base_time_ns = 1'000'000 * kMs;
  Step();
  const std::vector<Recommendation> all = Run();
  ASSERT_THAT(RulesOf(all), ElementsAre("dataloader_wait"));
  EXPECT_EQ(all[0].what, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  EXPECT_EQ(all[0].saving_ns, 30 * kMs);
  EXPECT_EQ(all[0].severity, AdviceSeverity::kHigh);
  EXPECT_EQ(all[0].title, "DataLoader wait");
  EXPECT_THAT(all[0].text, HasSubstr("without it a step would take 70.0 ms instead of 100.0 ms"));
  EXPECT_THAT(all[0].text, HasSubstr("num_workers=0"));
  EXPECT_EQ(IntEvidence(all[0], "example_start_ns"), 1'000'000 * kMs);
}

// A server's start: what a capture costs it costs once, and the launches go into the graph.
TEST_F(Advise, OfACaptureIsNeverLoud) {
  builder_.Annotation("ProfilerStep#1", 0, 100 * kMs);
  builder_.Runtime("hipStreamBeginCapture", 0, kMs);
  for (int64_t i = 0; i < 30; ++i) builder_.Operator("aten::mm", i * kMs, (i + 1) * kMs);
  builder_.Runtime("hipDeviceSynchronize", 30 * kMs, 100 * kMs);
  const std::vector<Recommendation> all = Run();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].what, "hipDeviceSynchronize");
  EXPECT_EQ(all[0].severity, AdviceSeverity::kLow);
  EXPECT_THAT(all[0].text, HasSubstr("part of capturing a graph"));
}

TEST_F(Advise, HintsStandBelowWhatHasASaving) {
  Step();
  for (int device = 0; device < 2; ++device) Device();
  builder_.Operator("DataParallel.forward", 40 * kMs, 50 * kMs);
  EXPECT_THAT(RulesOf(Run()), ElementsAre("dataloader_wait", "data_parallel"));
}

TEST_F(Advise, AViewShowsItsOwn) {
  Step();
  const std::vector<Recommendation> of_ranks = Run();
  const Facts facts({});
  EXPECT_THAT(RulesOf(AdviseView(facts, of_ranks, "idle")), ElementsAre("dataloader_wait"));
  EXPECT_THAT(RulesOf(AdviseView(facts, of_ranks, "memory")), ElementsAre());
}

TEST_F(Advise, MakesAnAnalysisOnce) {
  const TraceContext rank = PrepareTrace(builder_.trace(), OneThread());
  const Facts facts({&rank, 1});
  EXPECT_EQ(facts.Idle(), facts.Idle());
  EXPECT_EQ(facts.CriticalPath(), facts.CriticalPath());
  EXPECT_EQ(facts.Idle()->size(), 1u);
}

TEST_F(Advise, OfNothingIsNothing) {
  EXPECT_TRUE(AdviseRanks({}, {}, {}).empty());
  EXPECT_TRUE(AdviseView(Facts({}), {}, "").empty());
}

}  // namespace
}  // namespace telltale::health
