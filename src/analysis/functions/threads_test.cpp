// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/functions/functions.h"
#include "analysis/functions/time_order.h"

namespace telltale {
namespace {

using ::testing::ElementsAre;

// A main thread that works, a worker that works less, and one that waits.
class FunctionThreadsTest : public testing::Test {
 protected:
  FunctionThreadsTest() : builder_(profile_) {
    profile_.threads = {"monitor", "MainThread", "worker", "silent"};
    const CallNodeId run = Node(kNoCallNode, "run.py", "run");
    const CallNodeId step = Node(run, "run.py", "step");
    const CallNodeId load = Node(run, "run.py", "load");
    const CallNodeId wait = Node(run, "/usr/lib/python3.11/threading.py", "wait");
    Add(wait, 0, 0, 1000);
    Add(run, 0, 1000, 10);
    Add(run, 1, 0, 10);
    Add(step, 1, 10, 100);
    Add(run, 1, 110, 10);
    Add(step, 1, 120, 100);
    Add(load, 1, 230, 50);  // after a gap of 10
    Add(load, 2, 0, 60);
  }

  CallNodeId Node(CallNodeId parent, std::string_view file, std::string_view name) {
    const CallNodeId node = builder_.Child(parent, builder_.FunctionOf(file, 1, name));
    profile_.tree.calls[node] = 2;
    return node;
  }
  void Add(CallNodeId node, uint32_t thread, int64_t start, int64_t length) {
    profile_.timeline.push_back({node, thread, start, length});
    profile_.tree.self[node] += length;
  }
  std::vector<FunctionThread> Threads() {
    const FunctionProfile* const profile = &profile_;
    return ThreadsOf({&profile, 1});
  }

  FunctionProfile profile_;
  CallTreeBuilder builder_;
};

TEST_F(FunctionThreadsTest, TellsWhoWorkedFromWhoWaited) {
  const std::vector<FunctionThread> threads = Threads();
  ASSERT_EQ(threads.size(), 3U);  // nothing ran in the silent one
  // Who worked most comes first, wherever the file has it.
  EXPECT_TRUE(threads[0].is_main);
  EXPECT_FALSE(threads[0].is_idle);
  EXPECT_EQ(threads[1].worked(), 60);
  EXPECT_FALSE(threads[1].is_idle);
  EXPECT_EQ(threads[2].name, "monitor");
  EXPECT_EQ(threads[2].total, 1010);
  EXPECT_EQ(threads[2].waiting, 1000);
  EXPECT_TRUE(threads[2].is_idle);
}

TEST_F(FunctionThreadsTest, ChoosesByRoleNumberAndName) {
  const std::vector<FunctionThread> threads = Threads();
  EXPECT_EQ(ChooseThread(threads, "main").value(), (ThreadChoice{0, 1}));
  EXPECT_EQ(ChooseThread(threads, "2").value(), (ThreadChoice{0, 0}));
  EXPECT_EQ(ChooseThread(threads, "monitor").value(), (ThreadChoice{0, 0}));
  EXPECT_FALSE(ChooseThread(threads, "3").has_value());
  EXPECT_FALSE(ChooseThread(threads, "").has_value());
  EXPECT_EQ(ChooseThread({}, "main").value(), std::nullopt);
  EXPECT_FALSE(ChooseThread({}, "0").has_value());
}

TEST_F(FunctionThreadsTest, CountsTheTimeOfOneThreadAlone) {
  const FunctionProfile* const profile = &profile_;
  const FunctionTable table = JoinFunctions(
      {&profile, 1}, {.with_calls = true, .with_tree = true, .thread = ThreadChoice{0, 1}});
  EXPECT_EQ(table.total, 270);
  std::vector<std::tuple<std::string, int64_t, bool>> rows;
  for (const FunctionRow& row : table.rows) {
    if (row.in_profile) {
      rows.emplace_back(row.name, row.values.self.value_or(-1), row.values.calls.has_value());
    }
  }
  // Who else loaded is not told apart: how often this thread did is not known.
  EXPECT_THAT(rows, ElementsAre(std::tuple("run", 20, false), std::tuple("step", 200, true),
                                std::tuple("load", 50, false)));
  const FunctionTable all = JoinFunctions({&profile, 1});
  EXPECT_EQ(all.total, 1340);
}

std::vector<std::tuple<uint32_t, int64_t, int64_t, uint32_t>> BoxesOf(const TimeOrder& order) {
  std::vector<std::tuple<uint32_t, int64_t, int64_t, uint32_t>> boxes;
  for (const TimeOrderBox& box : order.boxes) {
    boxes.emplace_back(box.depth, box.start, box.length, box.merged);
  }
  std::ranges::sort(boxes);
  return boxes;
}

TEST_F(FunctionThreadsTest, OrdersCallsInTime) {
  const TimeOrder order = OrderInTime(profile_, 1, {});
  EXPECT_EQ(order.whole, 280);
  EXPECT_EQ(order.levels, 2U);
  EXPECT_THAT(BoxesOf(order), ElementsAre(std::tuple(0, 0, 220, 1), std::tuple(0, 230, 50, 1),
                                          std::tuple(1, 10, 100, 1), std::tuple(1, 120, 100, 1),
                                          std::tuple(1, 230, 50, 1)));
}

TEST_F(FunctionThreadsTest, CutsAtTheWindowAndJoinsWhatIsNarrowerThanAPixel) {
  EXPECT_THAT(
      BoxesOf(OrderInTime(profile_, 1, {.start = 50, .end = 150})),
      ElementsAre(std::tuple(0, 50, 100, 1), std::tuple(1, 50, 60, 1), std::tuple(1, 120, 30, 1)));
  EXPECT_THAT(
      BoxesOf(OrderInTime(profile_, 1, {.width = 2})),
      ElementsAre(std::tuple(0, 0, 220, 1), std::tuple(0, 230, 50, 1), std::tuple(1, 10, 270, 3)));
  EXPECT_THAT(BoxesOf(OrderInTime(profile_, 1, {.levels = 1})),
              ElementsAre(std::tuple(0, 0, 220, 1), std::tuple(0, 230, 50, 1)));
  EXPECT_TRUE(OrderInTime(profile_, 3, {}).boxes.empty());
  EXPECT_TRUE(OrderInTime(profile_, 1, {.start = 900}).boxes.empty());
}

}  // namespace
}  // namespace telltale
