// SPDX-License-Identifier: Apache-2.0
#include "runs/workspace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/protobuf.h"
#include "formats/tfevents/event_fixture.h"
#include "runs/process.h"
#include "runs/test_folder.h"

namespace telltale {
namespace {

using tfevents::EventFile;

EventFile Curve(std::string_view tag, int points, float first = 1) {
  EventFile file;
  file.Version();
  for (int i = 0; i < points; ++i)
    file.Scalar(tag, i, first / static_cast<float>(i + 1), 100.0 + i);
  return file;
}

WorkspaceOptions Options(const TestFolder& folder) {
  WorkspaceOptions options;
  options.roots = {*MakeRoot("", folder.path().string())};
  options.cache = false;
  return options;
}

const ListedRun& Listed(const Workspace& workspace, std::string_view name, bool raw = false) {
  static const ListedRun kNone;
  static std::vector<std::shared_ptr<const RunList>> kept;
  kept.push_back(workspace.runs(raw));
  for (const auto& run : kept.back()->runs) {
    if (run->info.name == name) return *run;
  }
  ADD_FAILURE() << "no run " << name;
  return kNone;
}

std::vector<std::string> Names(const Workspace& workspace, bool raw = false) {
  std::vector<std::string> names;
  for (const auto& run : workspace.runs(raw)->runs) names.push_back(run->info.name);
  return names;
}

using Texts = std::vector<std::string>;

TEST(Workspace, SummarizesEveryMetricOverAllFiles) {
  TestFolder folder;
  EventFile file = Curve("loss", 3);
  file.Scalar("loss", 3, std::nanf(""), 200);
  folder.Write("a/events.out.tfevents.1.x", file.bytes);
  EventFile second;
  second.Version();
  second.Scalar("loss", 4, 9, 300);
  second.Scalar("bad", 0, std::nanf(""), 300);
  folder.Write("a/events.out.tfevents.2.x", second.bytes);
  Workspace workspace(Options(folder));
  workspace.Scan();
  const ListedRun& run = Listed(workspace, "a");
  ASSERT_EQ(run.metrics.size(), 2U);
  const MetricSummary& loss = *run.Metric("loss");
  EXPECT_EQ(loss.points, 5U);
  EXPECT_EQ(loss.first_step, 0);
  EXPECT_EQ(loss.last_step, 4);
  EXPECT_EQ(loss.last, 9);
  EXPECT_EQ(loss.min_step, 2);
  EXPECT_EQ(loss.max, 9);
  EXPECT_FALSE(run.Metric("bad")->min);
  EXPECT_FALSE(run.info.status);
  EXPECT_EQ(run.info.start_ns, 100'000'000'000);
  EXPECT_EQ(run.duration_ns, 200'000'000'000);
}

TEST(Workspace, NamesAreInNaturalOrder) {
  TestFolder folder;
  for (const char* name : {"version_10", "version_2", "version_1"}) {
    folder.Write(std::string(name) + "/events.out.tfevents.1.x", Curve("loss", 1).bytes);
  }
  Workspace workspace(Options(folder));
  workspace.Scan();
  EXPECT_EQ(Names(workspace), (Texts{"version_1", "version_2", "version_10"}));
}

TEST(Workspace, FollowsGrowthAndTellsOnlyWhatIsNew) {
  TestFolder folder;
  EventFile file = Curve("loss", 2);
  const std::string path = folder.Write("a/events.out.tfevents.1.x", file.bytes);
  folder.Write("b/events.out.tfevents.1.x", file.bytes);
  std::vector<WorkspaceChange> changes;
  WorkspaceOptions options = Options(folder);
  options.on_change = [&](const WorkspaceChange& change) { changes.push_back(change); };
  Workspace workspace(std::move(options));
  workspace.Scan();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].added.size(), 2U);
  workspace.Poll();
  workspace.Scan();
  EXPECT_EQ(changes.size(), 1U);

  const size_t whole = file.bytes.size();
  file.Scalar("loss", 2, 7);
  // A record that is cut is read when the rest has come.
  folder.Write("a/events.out.tfevents.1.x", file.bytes.substr(0, whole + 5));
  workspace.Poll();
  EXPECT_EQ(Listed(workspace, "a").Metric("loss")->points, 2U);
  folder.Write("a/events.out.tfevents.1.x", file.bytes);
  workspace.Poll();
  const ListedRun& run = Listed(workspace, "a");
  EXPECT_EQ(run.Metric("loss")->points, 3U);
  EXPECT_EQ(run.Metric("loss")->last, 7);
  ASSERT_EQ(changes.back().changed.size(), 1U);
  EXPECT_EQ(changes.back().changed[0].id, run.info.id);
  ASSERT_EQ(changes.back().changed[0].tags.size(), 1U);
  EXPECT_EQ(changes.back().changed[0].tags[0].points, 3U);

  // And a tag that was not there before.
  file.Scalar("acc", 2, 0.5);
  folder.Write("a/events.out.tfevents.1.x", file.bytes);
  workspace.Poll();
  EXPECT_NE(Listed(workspace, "a").Metric("acc"), nullptr);
  size_t tags = 0;
  EXPECT_TRUE(workspace.WithSeries(Listed(workspace, "a").info.id,
                                   [&](const RunSeries& series) { tags = series.tags.size(); }));
  EXPECT_EQ(tags, 2U);
}

TEST(Workspace, NoticesReplacedShortenedNewAndDeletedFiles) {
  TestFolder folder;
  folder.Write("a/events.out.tfevents.1.x", Curve("loss", 50).bytes);
  Workspace workspace(Options(folder));
  workspace.Scan();
  folder.Replace("a/events.out.tfevents.1.x", Curve("other", 60).bytes);
  workspace.Poll();
  EXPECT_EQ(Listed(workspace, "a").Metric("loss"), nullptr);
  EXPECT_EQ(Listed(workspace, "a").Metric("other")->points, 60U);
  folder.Write("a/events.out.tfevents.1.x", Curve("other", 3).bytes);  // in place, shorter
  workspace.Poll();
  EXPECT_EQ(Listed(workspace, "a").Metric("other")->points, 3U);
  // In place, of the same size, with other values: the bytes tell.
  folder.Write("a/events.out.tfevents.1.x", Curve("other", 3, 5).bytes);
  workspace.Poll();
  EXPECT_EQ(Listed(workspace, "a").Metric("other")->max, 5);
  folder.Write("a/events.out.tfevents.2.x", Curve("more", 1).bytes);
  workspace.Scan();
  EXPECT_EQ(Listed(workspace, "a").metrics.size(), 2U);
  folder.Remove("a/events.out.tfevents.1.x");
  workspace.Scan();
  EXPECT_EQ(Listed(workspace, "a").metrics.size(), 1U);
  folder.Remove("a/events.out.tfevents.2.x");
  workspace.Scan();
  EXPECT_TRUE(workspace.runs()->runs.empty());
}

TEST(Workspace, FoldsWhatAddScalarsPutIntoFolders) {
  TestFolder folder;
  folder.Write("r/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  folder.Write("r/train_acc_a/events.out.tfevents.1.x", Curve("train/acc", 2).bytes);
  folder.Write("r/train_acc_b/c/events.out.tfevents.1.x", Curve("train/acc", 3).bytes);
  // As tensorboardX has them, which cleans the tag alone.
  folder.Write("r/my group/a b/events.out.tfevents.1.x", Curve("my_group", 4).bytes);
  folder.Write("r/other/events.out.tfevents.1.x", Curve("x", 3).bytes);
  Workspace workspace(Options(folder));
  workspace.Scan();
  EXPECT_EQ(Names(workspace), (Texts{"r", "r/other"}));
  const ListedRun& run = Listed(workspace, "r");
  EXPECT_EQ(run.Metric("train/acc/a")->points, 2U);
  EXPECT_EQ(run.Metric("train/acc/b/c")->points, 3U);
  ASSERT_NE(run.Metric("my_group/a b"), nullptr);
  EXPECT_EQ(run.Metric("my_group/a b")->points, 4U);
  EXPECT_EQ(Names(workspace, true),
            (Texts{"r", "r/my group/a b", "r/other", "r/train_acc_a", "r/train_acc_b/c"}));
  EXPECT_NE(Listed(workspace, "r/train_acc_a", true).Metric("train/acc"), nullptr);
}

// What add_hparams writes, with one hyper-parameter.
EventFile Hparams(double lr) {
  namespace field = tfevents::value_field;
  protobuf::MessageWriter content;
  const size_t start = content.Begin(3);
  const size_t entry = content.Begin(1);
  content.Bytes(1, "lr");
  const size_t value = content.Begin(2);
  content.Double(2, lr);
  content.End(value);
  content.End(entry);
  content.End(start);
  protobuf::MessageWriter logged;
  logged.Bytes(field::kTag, "_hparams_/session_start_info");
  const size_t metadata = logged.Begin(field::kMetadata);
  const size_t data = logged.Begin(tfevents::metadata_field::kPluginData);
  logged.Bytes(1, "hparams");
  logged.Bytes(2, content.bytes());
  logged.End(data);
  logged.End(metadata);
  EventFile file;
  file.Version();
  file.Summary(0, 100, {std::string(logged.bytes())});
  file.Scalar("best", 0, 1);
  return file;
}

TEST(Workspace, FoldsHparamsUnlessTheyAreSeveralTrials) {
  TestFolder folder;
  folder.Write("one/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  folder.Write("one/1790000074.5/events.out.tfevents.1.x", Hparams(0.5).bytes);
  folder.Write("one/1790000075.5/events.out.tfevents.1.x", Hparams(0.5).bytes);
  folder.Write("two/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  folder.Write("two/1790000074.5/events.out.tfevents.1.x", Hparams(0.5).bytes);
  folder.Write("two/1790000075.5/events.out.tfevents.1.x", Hparams(0.25).bytes);
  Workspace workspace(Options(folder));
  workspace.Scan();
  EXPECT_EQ(Names(workspace), (Texts{"one", "two", "two/1790000074.5", "two/1790000075.5"}));
  EXPECT_EQ(Listed(workspace, "one").info.config.size(), 1U);
  EXPECT_EQ(Listed(workspace, "one").Metric("best")->points, 2U);
  EXPECT_EQ(Listed(workspace, "two").info.config.size(), 0U);
  EXPECT_EQ(Listed(workspace, "two/1790000075.5").info.config.size(), 1U);
}

TEST(Workspace, ARunOfSeveralFoldersIsOne) {
  TestFolder folder;
  folder.Write("v/run.json", R"({"schema": 1, "id": "abc-1", "name": "vae", "status": "Completed",
      "experiment": "e", "group": null, "tags": ["t"], "note": "n",
      "start": "2026-11-15T20:45:01.000000005Z", "end": "2026-11-15T20:45:02Z"})");
  folder.Write("v/args.txt", "lr: 0.5\nmodel: vae\nflag: True\n");
  folder.Write("v/events/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  folder.Write("v/monitor/events.out.tfevents.1.x", Curve("monitor/cpu", 2).bytes);
  Workspace workspace(Options(folder));
  workspace.Scan();
  ASSERT_EQ(Names(workspace), (Texts{"v"}));
  const ListedRun& run = Listed(workspace, "v");
  EXPECT_EQ(run.info.id, "abc-1");
  EXPECT_EQ(run.info.kind, RunKind::kTelltale);
  EXPECT_EQ(run.info.status, RunStatus::kCompleted);
  EXPECT_EQ(run.info.start_ns, 1794775501000000005);
  EXPECT_EQ(run.duration_ns, 999'999'995);
  EXPECT_EQ(run.info.experiment, "e");
  EXPECT_EQ(run.metrics.size(), 2U);
  ASSERT_EQ(run.info.config.size(), 3U);
  EXPECT_EQ(run.info.config[1].second, ConfigValue(0.5));
  EXPECT_EQ(Names(workspace, true), (Texts{"v/events", "v/monitor"}));
}

TEST(Workspace, NothingStaysRunningWhoseProcessIsGone) {
  TestFolder folder;
  const auto write = [&](std::string_view host, int64_t pid, std::string_view start) {
    folder.Write("v/run.json", fmt::format(R"({{"status": "Running", "host": "{}", "start": "{}",
                     "ranks": [{{"rank": 0, "pid": {}}}]}})",
                                           host, start, pid));
  };
  const std::string here = HostName();
  write(here, ::getpid(), "2200-01-01T00:00:00Z");
  Workspace workspace(Options(folder));
  workspace.Scan();
  EXPECT_EQ(Listed(workspace, "v").info.status, RunStatus::kRunning);
  // The number was given to this process long after that run began.
  write(here, ::getpid(), "2001-01-01T00:00:00Z");
  workspace.Poll();
  EXPECT_EQ(Listed(workspace, "v").info.status, RunStatus::kLost);
  write(here, 0x7fffffff, "2200-01-01T00:00:00Z");
  workspace.Poll();
  EXPECT_EQ(Listed(workspace, "v").info.status, RunStatus::kLost);
  write("another-host", ::getpid(), "2200-01-01T00:00:00Z");
  workspace.Poll();
  EXPECT_EQ(Listed(workspace, "v").info.status, std::nullopt);
}

TEST(Workspace, ReadsTheSettingsOfLightningAndHydra) {
  TestFolder folder;
  folder.Write("lightning_logs/version_0/hparams.yaml", "lr: 0.1\nopt: {name: adam}\n");
  folder.Write("lightning_logs/version_0/metrics.csv",
               "epoch,step,train_loss,val_loss\n0,9,1.5,\n0,9,,2.5\n1,19,0.5,\n");
  Workspace workspace(Options(folder));
  workspace.Scan();
  const ListedRun& run = Listed(workspace, "lightning_logs/version_0");
  EXPECT_EQ(run.info.kind, RunKind::kLightning);
  ASSERT_EQ(run.info.config.size(), 2U);
  EXPECT_EQ(run.info.config[1].first, "opt.name");
  EXPECT_EQ(run.Metric("train_loss")->last_step, 19);
  EXPECT_EQ(run.Metric("val_loss")->points, 1U);
  EXPECT_FALSE(run.info.start_ns);
}

TEST(Workspace, ReferencesInSettingsAreTheirValues) {
  TestFolder folder;
  folder.Write("r/.hydra/config.yaml",
               "lr: 0.5\nm:\n  a: ${lr}\nb: ${m.a}\nx: ${y}\ny: ${x}\nz: ${now:%Y}\nw: p${lr}\n");
  folder.Write("r/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  Workspace workspace(Options(folder));
  workspace.Scan();
  const std::vector<std::pair<std::string, ConfigValue>> expected = {
      {"b", 0.5},
      {"lr", 0.5},
      {"m.a", 0.5},
      {"w", std::string("p${lr}")},
      {"x", std::string("${y}")},
      {"y", std::string("${x}")},
      {"z", std::string("${now:%Y}")}};
  EXPECT_EQ(Listed(workspace, "r").info.config, expected);
}

TEST(Workspace, EditsLiveBesideTheLogsAndOutliveIt) {
  TestFolder folder;
  folder.Write("a/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  std::string id;
  {
    Workspace workspace(Options(folder));
    workspace.Scan();
    id = Listed(workspace, "a").info.id;
    RunEdit edit;
    edit.name = "better";
    edit.add_tags = {"x", "y"};
    edit.note = "a note";
    edit.pinned = true;
    EXPECT_EQ(*workspace.Edit(std::vector{id}, edit), 1U);
    EXPECT_EQ(*workspace.Edit(std::vector{id}, edit), 0U);
    RunEdit less;
    less.remove_tags = {"x"};
    EXPECT_EQ(*workspace.Edit(std::vector{id}, less), 1U);
    EXPECT_FALSE(workspace.Edit(Texts{"nobody"}, edit));
  }
  Workspace workspace(Options(folder));
  workspace.Scan();
  const ListedRun& run = Listed(workspace, "better");
  EXPECT_EQ(run.info.id, id);
  EXPECT_EQ(run.info.tags, Texts{"y"});
  EXPECT_EQ(run.info.note, "a note");
  EXPECT_TRUE(run.info.pinned);
  // Its loss is a loss of names, tags and notes.
  std::filesystem::remove_all(folder.path() / ".telltale");
  Workspace again(Options(folder));
  again.Scan();
  EXPECT_EQ(Listed(again, "a").Metric("loss")->points, 2U);
}

TEST(Workspace, DeletedRunsGoToTheTrashAndComeBack) {
  TestFolder folder;
  folder.Write("a/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  folder.Write("a/inner/events.out.tfevents.1.x", Curve("inner", 2).bytes);
  folder.Write("b/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  Workspace workspace(Options(folder));
  workspace.Scan();
  RunEdit remove, restore;
  remove.deleted = true;
  restore.deleted = false;
  for (const std::string name : {"b", "a"}) {  // "a" has another run in its folder, which stays
    EXPECT_EQ(*workspace.Edit(Texts{Listed(workspace, name).info.id}, remove), 1U);
    EXPECT_TRUE(Listed(workspace, name).info.deleted);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / name / "events.out.tfevents.1.x"));
    workspace.Scan();
    EXPECT_TRUE(Listed(workspace, name).info.deleted);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "a/inner/events.out.tfevents.1.x"));
    EXPECT_EQ(*workspace.Edit(Texts{Listed(workspace, name).info.id}, restore), 1U);
    workspace.Scan();
    EXPECT_FALSE(Listed(workspace, name).info.deleted);
    EXPECT_EQ(Listed(workspace, name).Metric("loss")->points, 2U);
  }
}

TEST(Workspace, ASecondStartReadsTheCacheAndNoticesWhatIsStaleOrDamaged) {
  TestFolder folder;
  EventFile file = Curve("loss", 8000);
  folder.Write("a/events.out.tfevents.1.x", file.bytes);
  WorkspaceOptions options = Options(folder);
  options.cache = true;
  const auto points = [&](std::string_view tag) {
    Workspace workspace(options);
    workspace.Scan();
    const MetricSummary* const metric = Listed(workspace, "a").Metric(tag);
    return metric == nullptr ? 0 : metric->points;
  };
  EXPECT_EQ(points("loss"), 8000U);
  std::vector<std::filesystem::path> kept;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / ".telltale/cache")) {
    kept.push_back(entry.path());
  }
  ASSERT_EQ(kept.size(), 1U);
  std::string bytes;
  {
    std::ifstream in(kept[0], std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  EXPECT_EQ(points("loss"), 8000U);
  // The file went on: only the rest is read.
  file.Scalar("loss", 8000, 1);
  folder.Write("a/events.out.tfevents.1.x", file.bytes);
  EXPECT_EQ(points("loss"), 8001U);
  // Damaged.
  for (const size_t at : {size_t{3}, size_t{12}, bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(kept[0], std::ios::binary) << damaged;
    EXPECT_EQ(points("loss"), 8001U) << at;
  }
  std::ofstream(kept[0], std::ios::binary) << bytes.substr(0, bytes.size() / 3);
  EXPECT_EQ(points("loss"), 8001U);
  // Stale: another file in its place.
  folder.Replace("a/events.out.tfevents.1.x", Curve("other", 9000).bytes);
  EXPECT_EQ(points("loss"), 0U);
  EXPECT_EQ(points("other"), 9000U);
}

TEST(Workspace, SummariesDoNotDependOnWhereTheyComeFrom) {
  // Long enough for blocks and for the cache; with infinities, which count, and NaN, which do not.
  TestFolder folder;
  EventFile file;
  file.Version();
  const float inf = std::numeric_limits<float>::infinity();
  for (int i = 0; i < 9000; ++i) {
    const float value = i == 5000   ? inf
                        : i == 5001 ? std::nanf("")
                        : i == 7    ? -3
                                    : static_cast<float>(i % 100);
    file.Scalar("loss", i, value, 100.0 + i);
  }
  folder.Write("a/events.out.tfevents.1.x", file.bytes);
  WorkspaceOptions options = Options(folder);
  options.cache = true;
  for (int start = 0; start < 2; ++start) {
    Workspace workspace(options);
    workspace.Scan();
    const MetricSummary* const loss = Listed(workspace, "a").Metric("loss");
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->points, 9000U);
    EXPECT_EQ(loss->min, -3);
    EXPECT_EQ(loss->min_step, 7);
    EXPECT_EQ(loss->max, inf);
    EXPECT_EQ(loss->max_step, 5000);
    EXPECT_EQ(loss->last, 99);
  }
}

TEST(Workspace, FollowsRunsOfMlflowsFileStore) {
  TestFolder folder;
  folder.Write("mlruns/0/meta.yaml", "experiment_id: '0'\nname: Default\n");
  folder.Write("mlruns/0/abc/meta.yaml", "run_id: abc\nrun_name: fox\nstatus: 1\n");
  folder.Write("mlruns/0/abc/metrics/loss", "1000 0.5 0\n");
  folder.Write("mlruns/0/abc/params/lr", "0.1");
  Workspace workspace(Options(folder));
  workspace.Scan();
  EXPECT_EQ(Listed(workspace, "fox").Metric("loss")->points, 1U);
  const uint64_t revision = workspace.revision();
  workspace.Poll();
  EXPECT_EQ(workspace.revision(), revision);
  folder.Write("mlruns/0/abc/metrics/loss", "1000 0.5 0\n2000 0.25 1\n");
  folder.Write("mlruns/0/abc/metrics/acc", "2000 0.75 1\n");
  workspace.Poll();
  EXPECT_EQ(Listed(workspace, "fox").Metric("loss")->points, 2U);
  EXPECT_EQ(Listed(workspace, "fox").Metric("loss")->last, 0.25);
  ASSERT_NE(Listed(workspace, "fox").Metric("acc"), nullptr);
}

TEST(Workspace, NothingIsOverwrittenWhenARunComesBack) {
  TestFolder folder;
  folder.Write("b/events.out.tfevents.1.x", Curve("loss", 2).bytes);
  Workspace workspace(Options(folder));
  workspace.Scan();
  RunEdit remove, restore;
  remove.deleted = true;
  restore.deleted = false;
  ASSERT_TRUE(workspace.Edit(Texts{Listed(workspace, "b").info.id}, remove));
  const std::string id = Listed(workspace, "b").info.id;
  folder.Write("b/events.out.tfevents.1.x", Curve("new", 2).bytes);
  const Result<size_t> back = workspace.Edit(Texts{id}, restore);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, ErrorCode::kUnwritable);
}

}  // namespace
}  // namespace telltale
