// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "server/test_runs.h"

namespace telltale {
namespace {

class RunLogs : public RunsApiTest {
 protected:
  void SetUp() override {
    WriteRun("a");
    std::string text;
    for (int i = 0; i < 600; ++i) {
      text += fmt::format("2026-11-15T20:{:02}:{:02}.000Z {}\n", 45 + i / 60, i % 60,
                          i == 300 ? "ERROR <b>needle</b>" : fmt::format("line {}", i));
    }
    folder_.Write("a/logs/driver.log", text);
    folder_.Write("a/logs/rank-1.log", "one\n");
    Look();
  }
};

TEST_F(RunLogs, AreListedAndReadByNumber) {
  const Json logs = Good("/runs/a/logs");
  EXPECT_EQ(logs.Int("/total"), 2);
  EXPECT_EQ(logs.Text("/logs/0/path"), "logs/driver.log");
  EXPECT_EQ(logs.Int("/logs/1/rank"), 1);
  const Json lines = Good("/runs/a/log?path=logs/driver.log&from=301&limit=2");
  EXPECT_EQ(lines.Int("/lines"), 600);
  EXPECT_EQ(lines.Int("/rows/0/line"), 301);
  EXPECT_EQ(lines.Text("/rows/0/text"), "ERROR <b>needle</b>");
  EXPECT_EQ(lines.Text("/rows/0/level"), "error");
  EXPECT_EQ(lines.Text("/rows/0/time_ns"), "1794775800000000000");
  EXPECT_EQ(lines.Text("/rows/1/text"), "line 301");
  EXPECT_FALSE(lines.Has("/rows/1/level"));
  EXPECT_EQ(lines.Text("/sentence"), "600 lines over 9 min 59 s; 1 error.");
}

TEST_F(RunLogs, EndAtTheEndAndOpenAtAMoment) {
  EXPECT_EQ(Good("/runs/a/log?path=logs/driver.log&limit=1").Int("/rows/0/line"), 600);
  const Json at = Good("/runs/a/log?path=logs/driver.log&at=1794775800000000000&limit=30");
  EXPECT_EQ(at.Int("/at_line"), 301);
  EXPECT_EQ(at.Int("/rows/0/line"), 291) << "what led there comes, too";
  const Json after = Good("/runs/a/log?path=logs/driver.log&at=1999999999000000000&limit=1");
  EXPECT_TRUE(after.At("/at_line").is_null());
}

TEST_F(RunLogs, AreSearchedOnTheServer) {
  const Json found = Good("/runs/a/log/search?path=logs/driver.log&q=NEEDLE");
  EXPECT_EQ(found.Int("/total"), 0);
  const Json needle = Good("/runs/a/log/search?path=logs/driver.log&q=<b>needle&from=400");
  EXPECT_EQ(needle.Int("/total"), 1);
  EXPECT_EQ(needle.Int("/line"), 301);
  EXPECT_EQ(needle.Int("/place"), 1);
  EXPECT_EQ(Good("/runs/a/log/search?path=logs/driver.log&q=line .5$&regex").Int("/total"), 9);
  EXPECT_TRUE(Wrong("/runs/a/log/search?path=logs/driver.log&q=(&regex").starts_with("400"));
  const Json marked = Good("/runs/a/log?path=logs/driver.log&from=300&limit=2&q=needle");
  EXPECT_FALSE(marked.Has("/rows/0/matches"));
  EXPECT_TRUE(bool(marked.At("/rows/1/matches")));
}

TEST_F(RunLogs, SayHowMuchWasPrintedWhen) {
  const Json density = Good(
      "/runs/a/log/density?path=logs/driver.log&start=1794775500000000000&end=1794776100000000000"
      "&width=10");
  EXPECT_EQ(density.Size("/lines_of"), 10U);
  EXPECT_EQ(density.Int("/lines_of/0"), 60);
  EXPECT_EQ(density.Int("/errors_of/5"), 1);
  EXPECT_TRUE(Wrong("/runs/a/log/density?path=logs/driver.log&start=5&end=5").starts_with("400"));
}

TEST_F(RunLogs, StayInTheRunsFolder) {
  folder_.Write("b/secret.log", "no\n");
  for (const std::string_view path : {"../b/secret.log", "/etc/passwd", "logs/../../b/secret.log",
                                      "logs", "none.log", "logs/driver.log/x"}) {
    EXPECT_TRUE(Wrong(fmt::format("/runs/a/log?path={}", path)).starts_with("404")) << path;
  }
  std::filesystem::create_symlink("/etc/passwd", folder_.path() / "a/logs/link.log");
  EXPECT_TRUE(Wrong("/runs/a/log?path=logs/link.log").starts_with("404"));
  EXPECT_EQ(Good("/runs/a/logs").Int("/total"), 2);
  EXPECT_TRUE(Wrong("/runs/none/log?path=a").starts_with("404"));
}

TEST_F(RunLogs, TellWhatGrowsToWhoLooks) {
  std::string told;
  const auto tell = [&](std::string_view text) { told = text; };
  desk_->logs().Look(tell);
  EXPECT_EQ(told, "") << "nobody looks at any";
  static_cast<void>(Good("/runs/a/log?path=logs/rank-1.log"));
  desk_->logs().Look(tell);
  EXPECT_EQ(told, "");
  std::ofstream(folder_ / "a/logs/rank-1.log", std::ios::app) << "two\n";
  desk_->logs().Look(tell);
  const Json event(told);
  EXPECT_EQ(event.Text("/logs/0/id"), "a");
  EXPECT_EQ(event.Text("/logs/0/path"), "logs/rank-1.log");
  EXPECT_EQ(event.Int("/logs/0/bytes"), 8);
  EXPECT_EQ(Good("/runs/a/log?path=logs/rank-1.log").Int("/lines"), 2);
  told.clear();
  std::ofstream(folder_ / "a/logs/rank-1.log", std::ios::app) << "three\n";
  desk_->logs().Look(tell, LogShelf::Clock::now() + std::chrono::hours(1));
  EXPECT_EQ(told, "") << "nobody has looked at it for an hour";
}

TEST_F(RunLogs, KeepOnlyTheLastOnesInMemory) {
  for (size_t i = 0; i < LogShelf::kMostLogs + 5; ++i) {
    folder_.Write(fmt::format("a/logs/x{}.log", i), "x\n");
    EXPECT_EQ(Good(fmt::format("/runs/a/log?path=logs/x{}.log", i)).Int("/lines"), 1);
  }
  EXPECT_EQ(Good("/runs/a/log?path=logs/x0.log").Int("/lines"), 1);
}

}  // namespace
}  // namespace telltale
