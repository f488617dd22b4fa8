// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/lines.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

class LinesTest : public testing::Test {
 protected:
  LinesTest() : builder_(profile_) {
    profile_.threads = {"main", "worker"};
    const CallNodeId run = builder_.Child(kNoCallNode, builder_.FunctionOf("a.py", 1, "run"));
    const CallNodeId step = builder_.Child(run, builder_.FunctionOf("a.py", 10, "step"));
    const CallNodeId native = builder_.Child(step, builder_.FunctionOf({}, kNoInt, "<native>"));
    Add(step, 0, 100, 12);
    Add(native, 0, 500, 13);
    Add(step, 0, 50, 13);
    Add(run, 0, 7, 0);
    Add(step, 1, 1000, 12);
  }
  void Add(CallNodeId node, uint32_t thread, int64_t length, uint32_t line) {
    profile_.timeline.push_back({node, thread, 0, length});
    profile_.lines.push_back(line);
  }

  FunctionProfile profile_;
  CallTreeBuilder builder_;
};

TEST_F(LinesTest, WhatALineCallsWithoutAFileIsItsOwn) {
  const FunctionProfile* const profile = &profile_;
  const std::vector<FunctionLine> lines = LinesOf({&profile, 1}, ThreadChoice{0, 0});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].line, 13);
  EXPECT_EQ(lines[0].self, 550);
  EXPECT_EQ(lines[0].name, "step");
  EXPECT_EQ(lines[0].first_line, 10);
  EXPECT_EQ(lines[1].line, 12);
  EXPECT_EQ(lines[1].self, 100);
  EXPECT_EQ(lines[2].line, kNoInt) << "one that is not known";
}

TEST_F(LinesTest, AllThreadsAreSummedUnlessOneIsAskedFor) {
  const FunctionProfile* const profile = &profile_;
  EXPECT_EQ(LinesOf({&profile, 1})[0].self, 1100);
  EXPECT_TRUE(KnowsLines({&profile, 1}));
  profile_.lines.clear();
  EXPECT_FALSE(KnowsLines({&profile, 1}));
  EXPECT_TRUE(LinesOf({&profile, 1}).empty());
}

}  // namespace
}  // namespace telltale
