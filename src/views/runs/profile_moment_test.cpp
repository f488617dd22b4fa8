// SPDX-License-Identifier: Apache-2.0
#include "views/runs/profile_moment.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"
#include "views/build_profile.h"

namespace telltale {
namespace {

using testing::HasSubstr;

constexpr int64_t kBase = 1'700'000'000'000'000'000;

class ProfileMomentTest : public testing::Test {
 protected:
  // Steps 10 to 12, from 1000 on, each of 1000 ns.
  void Steps(bool with_operators) {
    builder_.trace().base_time_ns = kBase;
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t start = 1000 + i * 1000;
      builder_.Annotation("ProfilerStep#" + std::to_string(10 + i), start, start + 1000);
      if (with_operators) builder_.Operator("aten::add", start + 100, start + 200);
    }
  }
  ProfileMoment At(int64_t start, int64_t end) {
    Subject subject;
    subject.Add(Artifact(std::move(builder_.trace())));
    prepared_ = PrepareProfile(subject, {}).value();
    return MomentOf(prepared_.subject, prepared_.contexts, {kBase + start, kBase + end});
  }

  TraceBuilder builder_;
  PreparedProfile prepared_;
};

TEST_F(ProfileMomentTest, StepsOfThatTimeAreNamed) {
  Steps(true);
  const ProfileMoment moment = At(2100, 3500);
  ASSERT_TRUE(moment.steps);
  EXPECT_EQ(moment.steps->first, 11);
  EXPECT_EQ(moment.steps->last, 12);
  EXPECT_EQ(moment.steps->away_ns, 0);
  EXPECT_EQ(moment.steps->view, "operators");
  EXPECT_EQ(moment.steps->sentence, "Steps 11 to 12 are of this time.");
  EXPECT_EQ(moment.between, "") << "it has no functions";
}

TEST_F(ProfileMomentTest, WhereNoneAreThoseThatWereCapturedNearest) {
  Steps(true);
  const ProfileMoment moment = At(1'000'000, 2'000'000);
  ASSERT_TRUE(moment.steps);
  EXPECT_EQ(moment.steps->first, 10) << "those that were captured together";
  EXPECT_EQ(moment.steps->last, 12);
  EXPECT_EQ(moment.steps->away_ns, -996'000);
  EXPECT_THAT(moment.steps->sentence, HasSubstr("nearest are: Steps 10 to 12, 996.0 µs before."));
}

TEST_F(ProfileMomentTest, ActionsThatAreOnlyNearSayNothing) {
  Steps(false);
  EXPECT_FALSE(At(1'000'000, 2'000'000).steps);
}

TEST_F(ProfileMomentTest, ActionsOfThatTimeAreShownAsSuch) {
  Steps(false);
  const ProfileMoment moment = At(0, 1500);
  ASSERT_TRUE(moment.steps);
  EXPECT_EQ(moment.steps->view, "simple");
  EXPECT_EQ(moment.steps->sentence, "Step 10 is of this time.");
}

TEST_F(ProfileMomentTest, ATraceWithoutADateHasNothing) {
  Steps(true);
  builder_.trace().base_time_ns = 0;
  const ProfileMoment moment = At(2100, 3500);
  EXPECT_FALSE(moment.steps);
  EXPECT_FALSE(moment.recorded);
}

}  // namespace
}  // namespace telltale
