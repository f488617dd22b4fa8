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

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Advise : public AdviceTest {
 protected:
  static ProfileReport Waiting(int64_t dataloader_ns) {
    ProfileReport report;
    report.steps.source = StepSource::kProfilerStep;
    for (int i = 0; i < 3; ++i) {
      StepRow row;
      row.start_ns = i * 100 * kMs;
      row.duration_ns = 100 * kMs;
      report.steps.rows.push_back(row);
    }
    report.steps.average_ns = 100 * kMs;
    report.steps.average[static_cast<size_t>(StepCategory::kDataloader)] = dataloader_ns;
    return report;
  }
  static std::vector<std::string> RulesOf(const std::vector<Recommendation>& rows) {
    std::vector<std::string> rules;
    for (const Recommendation& row : rows) rules.push_back(row.rule);
    return rules;
  }
};

TEST_F(Advise, KeepsTheMostSevereOfSeveralRanksAndOfEqualOnesTheFirst) {
  std::vector<TraceContext> ranks;
  for (int i = 0; i < 4; ++i) ranks.push_back(PrepareTrace(builder_.trace(), OneThread()));
  const std::vector<ProfileReport> reports = {Waiting(0), Waiting(10 * kMs), Waiting(30 * kMs),
                                              Waiting(40 * kMs)};
  const std::vector<Recommendation> all = AdviseRanks(ranks, reports);
  ASSERT_THAT(RulesOf(all), ElementsAre("dataloader_wait"));
  EXPECT_EQ(all[0].severity, AdviceSeverity::kHigh);
  EXPECT_THAT(all[0].text, HasSubstr("30.0 %"));
}

TEST_F(Advise, FillsInWhatTheListSaysAboutARule) {
  const TraceContext rank = PrepareTrace(builder_.trace(), OneThread());
  const ProfileReport report = Waiting(30 * kMs);
  const std::vector<Recommendation> all = AdviseRanks({&rank, 1}, {&report, 1});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "DataLoader wait");
  EXPECT_THAT(all[0].threshold, HasSubstr("> 5 %"));
  EXPECT_THAT(all[0].views, ElementsAre("overview", "idle"));
}

TEST_F(Advise, AViewShowsItsOwnAndIsSilentWhereAnotherRuleKnowsMore) {
  Facts facts({});
  IdleReport idle;
  IdleRow row;
  row.whole_device = true;
  row.window_ns = 100;
  row.cause_ns[static_cast<size_t>(IdleCause::kInput)] = 50;
  idle.rows = {row};
  facts.Give(std::vector<IdleReport>{idle});
  const TraceContext rank = PrepareTrace(builder_.trace(), OneThread());
  const ProfileReport report = Waiting(30 * kMs);
  const std::vector<Recommendation> of_ranks = AdviseRanks({&rank, 1}, {&report, 1});
  EXPECT_THAT(RulesOf(AdviseView(facts, {}, "idle")), ElementsAre("idle_input"));
  EXPECT_THAT(RulesOf(AdviseView(facts, of_ranks, "idle")), ElementsAre("dataloader_wait"));
  EXPECT_THAT(RulesOf(AdviseView(facts, of_ranks, "memory")), ElementsAre());
  EXPECT_THAT(RulesOf(AdviseView(facts, {}, "")), Contains("idle_input"));
}

TEST_F(Advise, MakesAnAnalysisOnce) {
  const TraceContext rank = PrepareTrace(builder_.trace(), OneThread());
  const Facts facts({&rank, 1});
  EXPECT_EQ(facts.Idle(), facts.Idle());
  EXPECT_EQ(facts.CriticalPath(), facts.CriticalPath());
  EXPECT_EQ(facts.Idle()->size(), 1u);
}

TEST_F(Advise, OfNothingIsNothing) {
  EXPECT_TRUE(AdviseRanks({}, {}).empty());
  EXPECT_TRUE(AdviseView(Facts({}), {}, "").empty());
}

}  // namespace
}  // namespace telltale::health
