// SPDX-License-Identifier: Apache-2.0
#include "server/worker_lanes.h"

#include <atomic>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace telltale {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(WorkerLanes, AFullLaneHoldsUpNoOther) {
  WorkerLanes lanes({{1, 10}, {1, 2}});
  ASSERT_TRUE(lanes.Start());
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::promise<void> entered;
  ASSERT_TRUE(lanes.Post(1, [&] {
    entered.set_value();
    released.wait();
  }));
  entered.get_future().wait();
  EXPECT_TRUE(lanes.Post(1, [] {}));
  EXPECT_TRUE(lanes.Post(1, [] {}));
  EXPECT_FALSE(lanes.Post(1, [] {})) << "a third one waits";
  std::promise<void> other;
  ASSERT_TRUE(lanes.Post(0, [&] { other.set_value(); }));
  other.get_future().wait();
  // A lane that is not there is the last one.
  EXPECT_FALSE(lanes.Post(7, [] {}));
  EXPECT_FALSE(lanes.Stop(milliseconds(1)));
  release.set_value();
  EXPECT_TRUE(lanes.Stop(hours(1)));
}

TEST(WorkerLanes, RunsAsManyAtATimeAsItHasWorkers) {
  WorkerLanes lanes({{3, 100}});
  ASSERT_TRUE(lanes.Start());
  std::promise<void> together;
  std::atomic<int> inside = 0;
  const std::shared_future<void> all = together.get_future().share();
  std::atomic<int> done = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(lanes.Post(0, [&] {
      if (++inside == 3) together.set_value();
      all.wait();
      ++done;
    }));
  }
  all.wait();
  EXPECT_TRUE(lanes.Stop(hours(1)));
  EXPECT_EQ(done, 3);
  EXPECT_FALSE(lanes.Post(0, [] {}));
}

TEST(WorkerLanes, WhatStillWaitsIsNotRun) {
  bool ran = false;
  const auto held = std::make_shared<int>();
  {
    WorkerLanes lanes({{1, 10}});
    ASSERT_TRUE(lanes.Start());
    std::promise<void> entered;
    std::promise<void> release;
    ASSERT_TRUE(lanes.Post(0, [&] {
      entered.set_value();
      release.get_future().wait();
    }));
    ASSERT_TRUE(lanes.Post(0, [&, held] { ran = true; }));
    entered.get_future().wait();
    EXPECT_FALSE(lanes.Stop(milliseconds(1)));
    release.set_value();
  }
  EXPECT_FALSE(ran);
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace telltale
