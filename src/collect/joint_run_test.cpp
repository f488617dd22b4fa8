// SPDX-License-Identifier: Apache-2.0
#include "collect/joint_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "collect/node_records.h"
#include "runs/test_folder.h"

namespace telltale {
namespace {

using testing::ElementsAre;

constexpr int64_t kNow = 1'794'775'500'000'000'000;

Environment With(std::initializer_list<std::pair<std::string, std::string>> variables) {
  Environment out;
  for (const auto& [name, value] : variables) out.Set(name, value);
  return out;
}

std::vector<std::string> Words(std::initializer_list<std::string> words) { return words; }

TEST(JointRunOf, IsNoneForAProgramOfItsOwn) {
  EXPECT_FALSE(JointRunOf({}, Words({"python", "train.py"}), "a"));
  EXPECT_FALSE(JointRunOf({}, Words({"torchrun", "--nproc-per-node", "2", "train.py"}), "a"));
  EXPECT_FALSE(JointRunOf({}, Words({"torchrun", "--nnodes=1", "--rdzv-id=7", "train.py"}), "a"));
  // A program's own option of that name.
  EXPECT_FALSE(JointRunOf({}, Words({"python", "x.py", "--nnodes=2", "--rdzv-id=7"}), "a"));
  // The batch script itself, and a step of one task.
  EXPECT_FALSE(JointRunOf(With({{"SLURM_JOB_ID", "1"}, {"SLURM_NTASKS", "4"}}), Words({"x"}), "a"));
  EXPECT_FALSE(JointRunOf(
      With({{"SLURM_JOB_ID", "1"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}),
      Words({"x"}), "a"));
  // Inside of a run.
  EXPECT_FALSE(JointRunOf(With({{"TELLTALE_RUN_ID", "x"}, {"TELLTALE_RUN_DIR", "/runs/x"}}),
                          Words({"x"}), "a"));
}

TEST(JointRunOf, IsTheSameForAllThatALauncherStarts) {
  const auto slurm = [](const char* task) {
    return JointRunOf(With({{"SLURM_JOB_ID", "1"},
                            {"SLURM_STEP_ID", "0"},
                            {"SLURM_STEP_NUM_TASKS", "2"},
                            {"SLURM_PROCID", task}}),
                      Words({"x"}), "a");
  };
  ASSERT_TRUE(slurm("0"));
  EXPECT_EQ(slurm("0")->key, slurm("1")->key);
  EXPECT_NE(slurm("0")->slot, slurm("1")->slot);
  const auto torchrun = [](std::string id, std::string_view host) {
    return JointRunOf({},
                      Words({"python", "-m", "torch.distributed.run", "--nnodes", "1:4",
                             "--rdzv_id", std::move(id), "train.py"}),
                      host);
  };
  ASSERT_TRUE(torchrun("7", "a"));
  EXPECT_EQ(torchrun("7", "a")->key, torchrun("7", "b")->key);
  EXPECT_NE(torchrun("7", "a")->key, torchrun("8", "a")->key);
  EXPECT_NE(torchrun("7", "a")->slot, torchrun("7", "b")->slot);
}

TEST(JoinRunFolder, OneFolderForOneKeyAndASecondForATakenPlace) {
  const TestFolder root;
  const JointRun first = {"job", "0"};
  const JointRun second = {"job", "1"};
  const Result<RunFolder> a = JoinRunFolder(root.path().string(), "train", kNow, first, "node0");
  const Result<RunFolder> b = JoinRunFolder(root.path().string(), "train", kNow, second, "node1");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->path, b->path);
  EXPECT_TRUE(a->is_first);
  EXPECT_FALSE(b->is_first);
  EXPECT_NE(a->Live(), b->Live());
  EXPECT_EQ(JointRunId(first, *a), JointRunId(second, *b));
  const Result<RunFolder> again =
      JoinRunFolder(root.path().string(), "train", kNow, first, "node0");
  ASSERT_TRUE(again);
  EXPECT_NE(again->path, a->path);
  EXPECT_NE(JointRunId(first, *again), JointRunId(first, *a));
  // One whose folder was removed begins anew.
  std::filesystem::remove_all(a->path);
  const Result<RunFolder> third =
      JoinRunFolder(root.path().string(), "train", kNow, {"job", "2"}, "node2");
  ASSERT_TRUE(third);
  EXPECT_TRUE(third->is_first);
  EXPECT_TRUE(std::filesystem::exists(third->Live()));
}

RunRecord Node(const char* host, int64_t rank, int64_t start_ns) {
  RunRecord out;
  out.id = "x";
  out.host = host;
  out.start_ns = start_ns;
  out.ranks = {{rank, 0, host, 10 + rank, RunStatus::kRunning, {}, {}}};
  return out;
}

TEST(JoinedRecord, IsOverWhenAllAreAndFailedWhenOneIs) {
  std::vector<RunRecord> nodes = {Node("b", 1, 20), Node("a", 0, 10)};
  nodes[0].status = RunStatus::kFailed;
  nodes[0].exit_code = 3;
  nodes[0].end_ns = 50;
  nodes[0].steps = 9;
  nodes[1].steps = 7;
  RunRecord joined = JoinedRecord(nodes);
  EXPECT_EQ(joined.status, RunStatus::kRunning);
  EXPECT_FALSE(joined.end_ns);
  EXPECT_FALSE(joined.exit_code);
  nodes[1].status = RunStatus::kCompleted;
  nodes[1].exit_code = 0;
  nodes[1].end_ns = 40;
  joined = JoinedRecord(nodes);
  EXPECT_EQ(joined.status, RunStatus::kFailed);
  EXPECT_EQ(joined.exit_code, 3);
  EXPECT_EQ(joined.end_ns, 50);
  EXPECT_EQ(joined.start_ns, 10);
  EXPECT_EQ(joined.steps, 7);
  EXPECT_THAT(joined.hosts, ElementsAre("a", "b"));
  EXPECT_EQ(joined.ranks[0].host, "a");
  EXPECT_EQ(joined.ranks[1].host, "b");
}

TEST(JoinedRecord, OnlyOneIsRankZero) {
  const std::vector<RunRecord> nodes = {Node("a", 0, 10), Node("b", 0, 20)};
  const RunRecord joined = JoinedRecord(nodes);
  ASSERT_EQ(joined.ranks.size(), 2);
  EXPECT_EQ(joined.ranks[0].rank, 0);
  EXPECT_FALSE(joined.ranks[1].rank);
}

}  // namespace
}  // namespace telltale
