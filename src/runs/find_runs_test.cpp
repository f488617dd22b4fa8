// SPDX-License-Identifier: Apache-2.0
#include "runs/find_runs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runs/test_folder.h"

namespace telltale {
namespace {

FoundRuns Find(const TestFolder& folder, std::string name = {}) {
  const std::vector<Root> roots = {*MakeRoot(std::move(name), folder.path().string())};
  ProfileFinder finder(roots, {});
  const std::vector<FoundProfile> profiles = finder.Look();
  return RunsOf(roots, finder.marked(), profiles);
}

std::vector<std::string> Names(const FoundRuns& found) {
  std::vector<std::string> names;
  for (const FoundRun& run : found.runs) names.push_back(run.name);
  return names;
}

using Texts = std::vector<std::string>;

TEST(FindRuns, EveryFolderWithEventFilesIsARunNamedByItsPath) {
  TestFolder folder;
  folder.Write("events.out.tfevents.1.a", "");
  folder.Write("b/events.out.tfevents.2.a", "");
  folder.Write("b/events.out.tfevents.1.a", "");
  folder.Write("a/deep/my.tfevents.profile-empty", "");
  folder.Write("nothing/readme.txt", "");
  const FoundRuns found = Find(folder);
  EXPECT_EQ(Names(found), (Texts{".", "a/deep", "b"}));
  ASSERT_EQ(found.runs[2].parts.size(), 2U);
  EXPECT_TRUE(found.runs[2].parts[0].path.ends_with("tfevents.1.a"));
  EXPECT_EQ(Names(Find(folder, "mine")), (Texts{"mine", "mine/a/deep", "mine/b"}));
}

TEST(FindRuns, TellsTheToolsApart) {
  TestFolder folder;
  folder.Write("lightning_logs/version_0/hparams.yaml", "lr: 1\n");
  folder.Write("lightning_logs/version_0/events.out.tfevents.1.a", "");
  folder.Write("lightning_logs/version_1/metrics.csv", "step,loss\n");
  folder.Write("outputs/2026-11-15/12-00-00/.hydra/config.yaml", "lr: 1\n");
  folder.Write("outputs/2026-11-15/12-00-00/metrics.csv", "step,loss\n");
  folder.Write("outputs/2026-11-15/12-00-01/.hydra/config.yaml", "lr: 1\n");
  folder.Write("outputs/2026-11-15/12-00-01/tb/events.out.tfevents.1.a", "");
  folder.Write("wandb/offline-run-1-x/run-x.wandb", "");
  folder.Write("mlruns/0/abc/meta.yaml", "");
  folder.Write("mlruns/0/abc/metrics/loss", "");
  folder.Write("mlruns/0/meta.yaml", "");
  const FoundRuns found = Find(folder);
  EXPECT_EQ(Names(found), (Texts{"lightning_logs/version_0", "lightning_logs/version_1",
                                 "mlruns/0/abc", "outputs/2026-11-15/12-00-00",
                                 "outputs/2026-11-15/12-00-01/tb", "wandb/offline-run-1-x"}));
  std::vector<RunKind> kinds;
  for (const FoundRun& run : found.runs) kinds.push_back(run.kind);
  EXPECT_EQ(kinds, (std::vector{RunKind::kLightning, RunKind::kLightning, RunKind::kMlflow,
                                RunKind::kHydra, RunKind::kHydra, RunKind::kWandb}));
  ASSERT_EQ(found.runs[3].parts.size(), 1U);
  EXPECT_EQ(found.runs[3].parts[0].reader, FoundPart::Reader::kMetricsCsv);
  EXPECT_EQ(found.runs[4].settings.size(), 1U);  // lent by the folder of Hydra's around it
}

TEST(FindRuns, FoldersInsideARunBelongToIt) {
  TestFolder folder;
  folder.Write("2026_vae/run.json", "{}");
  folder.Write("2026_vae/events/events.out.tfevents.1.a", "");
  folder.Write("2026_vae/monitor/events.out.tfevents.1.a", "");
  folder.Write("2026_vae/events/val/events.out.tfevents.1.a", "");
  folder.Write("2026_vae/profiler/worker0.pt.trace.json", SmallTrace());
  folder.Write("innereye/args.txt", "Arguments:\n  lr : 1\n");
  folder.Write("innereye/Train/epoch_metrics.csv", "loss,epoch\n");
  folder.Write("innereye/logs/Lightning/events.out.tfevents.1.a", "");
  const FoundRuns found = Find(folder);
  EXPECT_EQ(Names(found), (Texts{"2026_vae", "2026_vae/events", "2026_vae/events/val",
                                 "2026_vae/monitor", "innereye", "innereye/logs/Lightning"}));
  EXPECT_EQ(found.runs[0].kind, RunKind::kTelltale);
  EXPECT_EQ(found.runs[0].profiles.size(), 1U);
  EXPECT_EQ(found.runs[1].owner, found.runs[0].path);
  EXPECT_EQ(found.runs[1].parts[0].prefix, "");
  EXPECT_EQ(found.runs[2].parts[0].prefix, "val/");
  ASSERT_EQ(found.runs[4].parts.size(), 1U);
  EXPECT_EQ(found.runs[4].parts[0].prefix, "train/");
}

TEST(FindRuns, LinksInCirclesPipesAndForeignNamesDoNoHarm) {
  TestFolder folder;
  folder.Write("a/events.out.tfevents.1.x", "");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() / "a" / "up");
  std::filesystem::create_directory_symlink("self", folder.path() / "self");
  ASSERT_EQ(::mkfifo((folder / "a/events.out.tfevents.2.fifo").c_str(), 0600), 0);
  folder.Write("caf\xe9/events.out.tfevents.1.x", "");
  const FoundRuns found = Find(folder);
  EXPECT_EQ(Names(found), (Texts{"a", "caf\xe9"}));
  EXPECT_EQ(found.runs[0].parts.size(), 1U);
}

}  // namespace
}  // namespace telltale
