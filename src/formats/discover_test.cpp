// SPDX-License-Identifier: Apache-2.0
#include "formats/discover.h"

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
using testing::ElementsAre;
using testing::HasSubstr;

TEST(TraceNames, FollowThePatternOrGiveTheirStem) {
  const struct {
    const char* file;
    const char* worker;
    const char* digits;
    bool is_pt_trace;
    bool is_json;
  } cases[] = {
      {"worker0.1623143089861.pt.trace.json", "worker0", "1623143089861", true, true},
      {"worker0.1623143089861.pt.trace.json.gz", "worker0", "1623143089861", true, true},
      {"host_123.456.pt.trace.json.zst", "host_123", "456", true, true},
      {"worker0.pt.trace.json", "worker0", "", true, true},
      {"my.worker.12.pt.trace.json", "my.worker", "12", true, true},
      {"my.worker.pt.trace.json", "my.worker", "", true, true},
      {"123.pt.trace.json", "123", "", true, true},
      {".123.pt.trace.json", ".123", "", true, true},
      {"a.b1.pt.trace.json", "a.b1", "", true, true},
      {".pt.trace.json", ".pt.trace.json", "", false, true},
      {"trace.json", "trace", "", false, true},
      {"trace.json.gz", "trace", "", false, true},
      {"trace.1.json", "trace.1", "", false, true},
      {"trace", "trace", "", false, false},
      {"notes.txt", "notes.txt", "", false, false},
      {"trace.gz", "trace", "", false, false},
      {"", "", "", false, false},
  };
  for (const auto& c : cases) {
    const TraceName name = ParseTraceName(c.file);
    EXPECT_EQ(name.worker, c.worker) << c.file;
    EXPECT_EQ(name.digits, c.digits) << c.file;
    EXPECT_EQ(name.is_pt_trace, c.is_pt_trace) << c.file;
    EXPECT_EQ(name.is_json, c.is_json) << c.file;
  }
}

TEST(TraceNames, SayTheRankInManyWays) {
  const std::pair<const char*, std::optional<int64_t>> cases[] = {
      {"rank0.json", 0},
      {"rank-3.Nov_25.json.gz", 3},
      {"trace_rank_12.json", 12},
      {"job-Rank=7.pt.trace.json", 7},
      {"RANK4.json", 4},
      {"runs/rank2/trace.json", 2},
      {"runs/rank2/rank5.json", 5},
      {"local_rank1_rank9.json", 9},
      {"local_rank1.json", std::nullopt},
      {"frank3.json", std::nullopt},
      {"nranks8.json", std::nullopt},
      {"rank.json", std::nullopt},
      {"rank--1.json", std::nullopt},
      {"rank99999999999999999999.json", std::nullopt},
      {"worker0.json", std::nullopt},
      {"rank3/sub/trace.json", std::nullopt},
  };
  for (const auto& [path, rank] : cases) EXPECT_EQ(RankFromPath(path), rank) << path;
}

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
    std::ofstream(top_ / name) << "{}";
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

TEST_F(DiscoverFolder, SortsByWorkerAndCountsSpans) {
  Make("worker10.300.pt.trace.json");
  Make("worker2.200.pt.trace.json.gz");
  Make("worker2.100.pt.trace.json");
  Make("worker2.pt.trace.json");
  Make("notes.json");
  EXPECT_THAT(Shown(DiscoverTop()),
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
  Make("rank1.pftrace");
  Make("rank2.perfetto-trace.gz");
  Make("rank3.pftrace.zst");
  Make("run.prof");
  EXPECT_THAT(Shown(DiscoverTop()),
              ElementsAre("rank1.pftrace", "rank2.perfetto-trace.gz", "rank3.pftrace.zst"));
  Make("rank1.json.gz");
  EXPECT_THAT(Shown(DiscoverTop()),
              ElementsAre("rank1.json.gz", "rank2.perfetto-trace.gz", "rank3.pftrace.zst"));
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
