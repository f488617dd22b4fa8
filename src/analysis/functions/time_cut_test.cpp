// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/time_cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

namespace telltale {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class TimeCutTest : public testing::Test {
 protected:
  TimeCutTest() : builder_(profile_) {
    profile_.threads = {"main", "late"};
    profile_.thread_starts = {0, 0};
    profile_.start_ns = 1000;
    run_ = Node(kNoCallNode, "run");
    step_ = Node(run_, "step");
    load_ = Node(run_, "load");
  }

  CallNodeId Node(CallNodeId parent, std::string_view name) {
    return builder_.Child(parent, builder_.FunctionOf("a.py", 1, name));
  }
  void Add(CallNodeId node, uint32_t thread, int64_t start, int64_t length, uint32_t line = 0) {
    profile_.timeline.push_back({node, thread, start, length});
    profile_.tree.self[node] += length;
    profile_.lines.push_back(line);
  }
  void Slot(int64_t start, int64_t end) {
    profile_.slots.push_back({start, end, profile_.timeline.size()});
  }
  // What each function took itself.
  static std::map<std::string, int64_t> SelfOf(const FunctionProfile& profile) {
    std::map<std::string, int64_t> self;
    for (size_t node = 0; node < profile.tree.size(); ++node) {
      self[std::string(profile.Text(profile.functions[profile.tree.function[node]].name))] +=
          profile.tree.self[node];
    }
    return self;
  }

  FunctionProfile profile_;
  CallTreeBuilder builder_;
  CallNodeId run_, step_, load_;
};

TEST_F(TimeCutTest, StretchesAreCutWhereTheRangeEnds) {
  Add(run_, 0, 0, 100);
  Add(step_, 0, 100, 100);
  Add(load_, 0, 200, 100);
  EXPECT_EQ(RecordedTime(profile_), (Interval{0, 300}));
  const auto cut = CutToTime(profile_, {150, 220});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->covered, (Interval{150, 220}));
  EXPECT_THAT(SelfOf(cut->profile),
              ElementsAre(Pair("load", 20), Pair("run", 0), Pair("step", 50)));
  EXPECT_EQ(cut->profile.start_ns, 1150);
  ASSERT_EQ(cut->profile.timeline.size(), 2U);
  EXPECT_EQ(cut->profile.timeline[1].start, 50) << "since the cut's own start";
  EXPECT_EQ(RecordedTime(cut->profile), (Interval{0, 70}));
}

TEST_F(TimeCutTest, PathsThatDidNotRunMeanwhileAreLeftOut) {
  Add(step_, 0, 0, 100);
  Add(load_, 0, 100, 100);
  const auto cut = CutToTime(profile_, {0, 100});
  ASSERT_TRUE(cut);
  EXPECT_THAT(SelfOf(cut->profile), ElementsAre(Pair("run", 0), Pair("step", 100)));
  EXPECT_EQ(cut->profile.functions.size(), 2U);
  EXPECT_EQ(cut->profile.tree.calls[0], kNoUint) << "how often is not known";
}

TEST_F(TimeCutTest, ThreadsCountFromWhereEachBegan) {
  profile_.thread_starts = {0, 500};
  Add(step_, 0, 0, 100);
  Add(load_, 1, 0, 100);
  EXPECT_EQ(RecordedTime(profile_), (Interval{0, 600}));
  const auto cut = CutToTime(profile_, {550, 10'000});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->covered, (Interval{550, 600}));
  EXPECT_THAT(SelfOf(cut->profile), ElementsAre(Pair("load", 50), Pair("run", 0)));
}

TEST_F(TimeCutTest, SlotsAreTakenWholeOrNotAtAll) {
  Slot(0, 1000);
  Add(run_, 0, 0, 600, 3);
  Add(step_, 0, 600, 450, 7);  // more than the slot has: samples stand for the time before them
  Slot(1000, 2000);
  Add(step_, 0, 1050, 900, 8);
  Slot(2000, 3000);
  Add(load_, 0, 2000, 1000, 9);
  const auto cut = CutToTime(profile_, {1500, 1600});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->covered, (Interval{1000, 2000}));
  EXPECT_THAT(SelfOf(cut->profile), ElementsAre(Pair("run", 0), Pair("step", 900)));
  EXPECT_THAT(cut->profile.lines, ElementsAre(8U));
  ASSERT_EQ(cut->profile.slots.size(), 1U);
  EXPECT_EQ(cut->profile.slots[0].end, 1000);
  const auto two = CutToTime(profile_, {999, 1001});
  ASSERT_TRUE(two);
  EXPECT_THAT(SelfOf(two->profile), ElementsAre(Pair("run", 600), Pair("step", 1350)));
  EXPECT_EQ(CutToTime(profile_, {0, 1000})->covered, (Interval{0, 1000})) << "the end is excluded";
}

TEST_F(TimeCutTest, AGapOfTheRecordingHasNothing) {
  Slot(0, 1000);
  Add(step_, 0, 0, 1000);
  Slot(5000, 6000);
  Add(load_, 0, 5000, 1000);
  EXPECT_EQ(RecordedTime(profile_), (Interval{0, 6000}));
  EXPECT_FALSE(CutToTime(profile_, {2000, 3000}));
  EXPECT_FALSE(CutToTime(profile_, {6000, 9000}));
}

TEST_F(TimeCutTest, ProfilesWithoutTimesHaveNone) {
  Add(step_, 0, 0, 100);
  profile_.thread_starts.clear();  // an order of each thread, and nothing more
  EXPECT_FALSE(RecordedTime(profile_));
  EXPECT_FALSE(CutToTime(profile_, {0, 100}));
  FunctionProfile pairs;
  pairs.shape = FunctionShape::kPairs;
  EXPECT_FALSE(RecordedTime(pairs));
}

}  // namespace
}  // namespace telltale
