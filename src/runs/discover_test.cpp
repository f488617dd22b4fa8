// SPDX-License-Identifier: Apache-2.0
#include "runs/discover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace telltale {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class DiscoverFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "telltale_discover_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    top_ = folder;
  }
  void TearDown() override { fs::remove_all(top_); }

  void Make(const std::string& name) const {
    fs::create_directories((top_ / name).parent_path());
    const bool is_trace = name.find(".json") != std::string::npos;
    std::ofstream(top_ / name) << (is_trace ? R"({"traceEvents": []})" : "x");
  }

  void MakePerfetto(const std::string& name) const {
    // A packet with a time.
    std::ofstream(top_ / name, std::ios::binary) << std::string_view("\x0a\x02\x40\x01", 4);
  }

  [[nodiscard]] Discovery DiscoverTop() const {
    const std::string paths[] = {top_.string()};
    return Discover(paths);
  }

  // Paths below the folder, each with its span.
  [[nodiscard]] std::vector<std::string> Shown(const Discovery& discovery) const {
    std::vector<std::string> shown;
    for (const InputFile& file : discovery.files) {
      shown.push_back(fs::path(file.path).lexically_relative(top_).string() +
                      (file.span ? " #" + std::to_string(*file.span) : ""));
    }
    return shown;
  }

  fs::path top_;
};

TEST_F(DiscoverFolder, ARunThatWasRecorded) {
  std::ofstream(top_ / "run.json") << R"({"schema": 1, "status": "Completed"})";
  Make("logs/driver.log");
  Make("profiler/operators.txt");
  Make("profiler/simple.txt");
  for (const char* rank : {"0", "1"}) {
    Make(std::string("profiler/ops.rank") + rank + ".1794963618948962390.pt.trace.json");
  }
  const std::vector<std::string> paths = {top_.string()};
  const Discovery discovery = Discover(paths);
  ASSERT_EQ(discovery.files.size(), 2U);
  EXPECT_EQ(discovery.files[1].rank, 1);
  EXPECT_EQ(discovery.files[1].worker, "ops.rank1");
  EXPECT_TRUE(discovery.notes.empty()) << discovery.notes[0];
  // What is of nobody's making is still named.
  Make("notes.txt");
  EXPECT_THAT(Discover(paths).notes, ElementsAre(HasSubstr("1 file skipped: notes.txt")));
}

TEST_F(DiscoverFolder, FunctionsComeBeforeTracesWhereTheyAreAskedFor) {
  Make("profiler/ops.1.pt.trace.json");
  std::ofstream(top_ / "profiler/stacks.folded") << "main;run 30\nmain;load 20\n";
  const std::vector<std::string> paths = {top_.string()};
  EXPECT_THAT(Shown(Discover(paths, FolderContent::kFunctions)),
              ElementsAre("profiler/stacks.folded"));
  EXPECT_THAT(Discover(paths, FolderContent::kFunctions).notes,
              Contains(HasSubstr("left out beside the functions")));
  EXPECT_THAT(Shown(Discover(paths)), ElementsAre("profiler/ops.1.pt.trace.json #1"));
}

TEST_F(DiscoverFolder, SortsByWorkerAndCountsSpans) {
  Make("worker10.300.pt.trace.json");
  Make("worker2.200.pt.trace.json.gz");
  Make("worker2.100.pt.trace.json");
  Make("worker2.pt.trace.json");
  Make("notes.json");
  const Discovery discovery = DiscoverTop();
  EXPECT_THAT(discovery.notes, Contains(HasSubstr("left out beside the traces")));
  EXPECT_THAT(Shown(discovery),
              ElementsAre("worker2.pt.trace.json", "worker2.100.pt.trace.json #1",
                          "worker2.200.pt.trace.json.gz #2", "worker10.300.pt.trace.json #1"));
}

TEST_F(DiscoverFolder, CountsSpansPerFolder) {
  Make("a/worker.5.pt.trace.json");
  Make("a/worker.7.pt.trace.json");
  Make("b/deep/er/worker.7.pt.trace.json");
  EXPECT_THAT(Shown(DiscoverTop()),
              ElementsAre("a/worker.5.pt.trace.json #1", "a/worker.7.pt.trace.json #2",
                          "b/deep/er/worker.7.pt.trace.json #1"));
}

TEST_F(DiscoverFolder, TakesFunctionProfilesOnlyWithoutTraces) {
  Make("epoch.prof");
  Make("b/step.prof.gz");
  Make("old.pstats");
  Make("report.txt");
  Make(".hidden.prof");
  EXPECT_THAT(Shown(DiscoverTop()), ElementsAre("epoch.prof", "old.pstats", "b/step.prof.gz"));
  Make("trace.json");
  EXPECT_THAT(Shown(DiscoverTop()), ElementsAre("trace.json"));
}

TEST_F(DiscoverFolder, TakesOtherJsonOnlyWithoutTracesByName) {
  Make("rank1.json");
  Make("rank0.json.gz");
  Make("rank10.json.zst");
  Make("readme.txt");
  Make(".hidden.json");
  const Discovery discovery = DiscoverTop();
  EXPECT_THAT(Shown(discovery), ElementsAre("rank0.json.gz", "rank1.json", "rank10.json.zst"));
  EXPECT_EQ(discovery.files[2].rank, 10);
  EXPECT_EQ(discovery.files[2].worker, "") << "only <worker>.pt.trace.json names a worker";
}

TEST_F(DiscoverFolder, FindsPerfettoTracesUnlessTheyAreThereAsJson) {
  MakePerfetto("rank1.pftrace");
  MakePerfetto("rank2.perfetto-trace");
  MakePerfetto("rank3.pftrace");
  Make("run.prof");
  EXPECT_THAT(Shown(DiscoverTop()),
              ElementsAre("rank1.pftrace", "rank2.perfetto-trace", "rank3.pftrace"));
  Make("rank1.json.gz");
  EXPECT_THAT(Shown(DiscoverTop()),
              ElementsAre("rank1.json.gz", "rank2.perfetto-trace", "rank3.pftrace"));
}

TEST_F(DiscoverFolder, WhatWasCountedComesBeforeWhatWasSampled) {
  std::ofstream(top_ / "run.json") << R"({"schema": 1, "status": "Completed"})";
  fs::create_directories(top_ / "profiler/advanced/main");
  const auto put = [&](const char* name, std::string_view bytes) {
    std::ofstream(top_ / "profiler" / name, std::ios::binary) << bytes;
  };
  put("samples.tts", std::string_view("TTS1\0\0\0\0\0\0\0\0", 12));
  EXPECT_THAT(Shown(DiscoverTop()), ElementsAre("profiler/samples.tts"));
  // A type, and the empty text.
  put("advanced/main.pprof", std::string_view("\x0a\x02\x08\x01\x32\x00", 6));
  put("advanced/main.prof", "x");          // the same
  put("advanced/main/forward.prof", "x");  // a part of it
  put("advanced/worker-7.prof", "x");      // another process
  put("advanced.txt", "x");
  const Discovery discovery = DiscoverTop();
  EXPECT_THAT(Shown(discovery),
              ElementsAre("profiler/advanced/main.pprof", "profiler/advanced/worker-7.prof"));
  EXPECT_THAT(discovery.notes, Contains(HasSubstr("left out beside the functions")));
  EXPECT_THAT(discovery.notes, testing::Not(Contains(HasSubstr("skipped"))));
  // Only samples know when functions ran.
  const std::string paths[] = {top_.string()};
  EXPECT_THAT(Shown(Discover(paths, FolderContent::kTimedFunctions)),
              ElementsAre("profiler/samples.tts"));
}

TEST_F(DiscoverFolder, SaysWhatItSkippedAndWhy) {
  Make("worker.1.pt.trace.json");
  std::ofstream(top_ / "config.json") << R"({"learning_rate": 0.1})";
  std::ofstream(top_ / "snapshot.pickle", std::ios::binary) << "\x80\x04\x95";
  ASSERT_EQ(::mkfifo((top_ / "pipe.json").c_str(), 0600), 0);
  Make("weights.pt");
  EXPECT_THAT(DiscoverTop().notes,
              ElementsAre(AllOf(HasSubstr("3 files skipped"), HasSubstr("config.json (no profile)"),
                                HasSubstr("pipe.json (no regular file)"),
                                HasSubstr("snapshot.pickle (a Python pickle"))));
}

TEST_F(DiscoverFolder, SaysThatSeveralProfilesAreReadTogether) {
  Make("runs/a/rank0.json");
  Make("runs/a/rank1.json");
  Make("runs/b.json");
  const Discovery discovery = DiscoverTop();
  EXPECT_THAT(Shown(discovery),
              ElementsAre("runs/b.json", "runs/a/rank0.json", "runs/a/rank1.json"));
  EXPECT_THAT(discovery.notes, ElementsAre(AllOf(HasSubstr("holds 2 profiles"),
                                                 HasSubstr("(2 files)"), HasSubstr("name one"))));
}

TEST_F(DiscoverFolder, LeavesPrintedTablesAlone) {
  Make("step.prof");
  std::ofstream(top_ / "step.txt")
      << "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n";
  const Discovery discovery = DiscoverTop();
  EXPECT_THAT(Shown(discovery), ElementsAre("step.prof"));
  EXPECT_THAT(discovery.notes, ElementsAre(HasSubstr("step.txt (a printed table")));
}

TEST_F(DiscoverFolder, SkipsHiddenFolders) {
  Make(".git/worker.1.pt.trace.json");
  Make("worker.1.pt.trace.json");
  EXPECT_THAT(Shown(DiscoverTop()), ElementsAre("worker.1.pt.trace.json #1"));
}

TEST_F(DiscoverFolder, LinksThatLeadBackEnd) {
  Make("run/worker.1.pt.trace.json");
  fs::create_directory_symlink(top_, top_ / "run/up");
  fs::create_directory_symlink(top_ / "run", top_ / "latest");
  fs::create_symlink(top_ / "missing", top_ / "broken.pt.trace.json");
  EXPECT_THAT(Shown(DiscoverTop()), ElementsAre("run/worker.1.pt.trace.json #1"));
}

TEST_F(DiscoverFolder, FollowsLinksOutOfTheFolder) {
  Make("elsewhere/worker.1.pt.trace.json");
  fs::create_directories(top_ / "logs");
  fs::create_directory_symlink(top_ / "elsewhere", top_ / "logs/run");
  const std::string paths[] = {(top_ / "logs").string()};
  EXPECT_THAT(Shown(Discover(paths)), ElementsAre("logs/run/worker.1.pt.trace.json #1"));
}

TEST_F(DiscoverFolder, AFolderWithoutTracesSaysWhatWasExpected) {
  Discovery discovery = DiscoverTop();
  EXPECT_TRUE(discovery.files.empty());
  ASSERT_EQ(discovery.failures.size(), 1U);
  EXPECT_THAT(discovery.failures[0].message, HasSubstr("holds no trace"));
  EXPECT_THAT(discovery.failures[0].message, HasSubstr("found no file"));
  Make("readme.txt");
  Make("model.pt");
  discovery = DiscoverTop();
  ASSERT_EQ(discovery.failures.size(), 1U);
  EXPECT_THAT(discovery.failures[0].message, HasSubstr("found 2 other files"));
  EXPECT_EQ(discovery.failures[0].code, ErrorCode::kUnreadable);
}

TEST_F(DiscoverFolder, AFolderWithoutPermissionIsSaid) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  Make("closed/worker.1.pt.trace.json");
  Make("worker.1.pt.trace.json");
  ASSERT_EQ(::chmod((top_ / "closed").c_str(), 0), 0);
  const Discovery discovery = DiscoverTop();
  EXPECT_EQ(discovery.files.size(), 1U);
  ASSERT_EQ(discovery.failures.size(), 1U);
  EXPECT_THAT(discovery.failures[0].message, HasSubstr("closed"));
  ::chmod((top_ / "closed").c_str(), 0700);
}

TEST_F(DiscoverFolder, KeepsTheOrderOfTheArguments) {
  Make("z.20.pt.trace.json");
  Make("z.10.pt.trace.json");
  Make("run/a.1.pt.trace.json");
  const std::string paths[] = {(top_ / "z.20.pt.trace.json").string(),
                               (top_ / "z.10.pt.trace.json").string(), (top_ / "run").string(),
                               "-"};
  const Discovery discovery = Discover(paths);
  ASSERT_EQ(discovery.files.size(), 4U);
  EXPECT_EQ(discovery.files[0].span, 2);
  EXPECT_EQ(discovery.files[1].span, 1);
  EXPECT_EQ(discovery.files[2].worker, "a");
  EXPECT_EQ(discovery.files[3].path, "-");
  EXPECT_EQ(discovery.files[3].worker, "");
}

}  // namespace
}  // namespace telltale
