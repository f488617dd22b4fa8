// SPDX-License-Identifier: Apache-2.0
#include "sample/process_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "monitor/test_machine.h"

namespace telltale {
namespace {

using testing::ElementsAre;

class ProcessTreeTest : public testing::Test {
 protected:
  void Start(int pid, int parent, int group = 1, int session = 1) {
    machine_.Write(fmt::format("proc/{}/stat", pid),
                   fmt::format("{} (a) b ({}) S {} {} {} 0 -1", pid, pid, parent, group, session));
    latest_ = pid;
    machine_.Write("proc/loadavg", fmt::format("0.1 0.2 0.3 1/80 {}\n", latest_));
  }
  void End(int pid) { machine_.Remove(fmt::format("proc/{}", pid)); }

  TestMachine machine_;
  int latest_ = 0;
};

TEST_F(ProcessTreeTest, FindsChildrenAndTheirsInAnyOrder) {
  Start(1, 0);
  Start(100, 1);
  Start(40, 120);  // numbers began again
  Start(120, 100);
  Start(130, 1);
  Start(140, 1, 100);       // a process of its group that lost its parent
  Start(150, 1, 150, 100);  // and one of its session
  ProcessTree tree(100, machine_.root() + "/proc");
  EXPECT_THAT(tree.members(), ElementsAre(100));
  tree.Update();
  EXPECT_THAT(tree.members(), ElementsAre(100, 40, 120, 140, 150));
}

TEST_F(ProcessTreeTest, KeepsWhoLostItsParentAndForgetsWhoEnded) {
  Start(100, 1);
  Start(101, 100);
  Start(102, 101);
  ProcessTree tree(100, machine_.root() + "/proc");
  tree.Update();
  End(101);
  Start(102, 1);  // the same one, with another parent
  Start(103, 102);
  tree.Update();
  EXPECT_THAT(tree.members(), ElementsAre(100, 102, 103));
}

TEST_F(ProcessTreeTest, LooksOnlyWhenSomethingWasStarted) {
  Start(100, 1);
  ProcessTree tree(100, machine_.root() + "/proc");
  tree.Update();
  machine_.Write("proc/101/stat", "101 (x) S 100 1 1 0 -1");
  tree.Update();
  EXPECT_THAT(tree.members(), ElementsAre(100));
  Start(102, 1);
  tree.Update();
  EXPECT_THAT(tree.members(), ElementsAre(100, 101));
}

}  // namespace
}  // namespace telltale
