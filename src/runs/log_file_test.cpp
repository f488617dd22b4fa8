// SPDX-License-Identifier: Apache-2.0
#include "runs/log_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runs/find_logs.h"
#include "runs/run_settings.h"
#include "runs/test_folder.h"

namespace telltale {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

int64_t At(int i) { return *ParseTime("2026-11-15T20:00:00Z") + i * kMillisecond; }

std::string TimedLine(int i, std::string_view text) {
  return fmt::format("2026-11-15T20:{:02}:{:02}.{:03}Z {}\n", i / 60'000, i / 1000 % 60, i % 1000,
                     text);
}

class LogFileTest : public testing::Test {
 protected:
  // Appends without another time.
  void Append(std::string_view text) {
    std::ofstream(folder_ / "a.log", std::ios::app | std::ios::binary) << text;
  }
  LogState Update() {
    const Result<LogState> state = log_.Update(gate_);
    EXPECT_TRUE(state) << state.error().message;
    return state.value_or(LogState());
  }
  std::vector<std::string> Texts(uint64_t first, size_t count, size_t width = 1000) {
    const auto lines = log_.Lines(gate_, first, count, width);
    EXPECT_TRUE(lines);
    std::vector<std::string> texts;
    for (const ShownLine& line : lines.value_or(std::vector<ShownLine>())) {
      texts.push_back(line.text);
    }
    return texts;
  }
  LogMatches Find(std::string_view text, uint64_t from, bool before = false, bool regex = false) {
    const Result<LogQuery> query = LogQuery::Make(text, regex);
    EXPECT_TRUE(query);
    const Result<LogMatches> found = log_.Find(gate_, *query, from, before);
    EXPECT_TRUE(found);
    return *found;
  }

  TestFolder folder_;
  FileGate gate_;
  LogFile log_{folder_ / "a.log"};
};

TEST_F(LogFileTest, GivesLinesFromAnywhere) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += TimedLine(i, fmt::format("line {}", i));
  folder_.Write("a.log", text);
  EXPECT_EQ(Update().lines, 3000U);
  EXPECT_EQ(Texts(0, 2), (std::vector<std::string>{"line 0", "line 1"}));
  EXPECT_EQ(Texts(1999, 2), (std::vector<std::string>{"line 1999", "line 2000"}));
  EXPECT_EQ(Texts(2999, 10), (std::vector<std::string>{"line 2999"}));
  EXPECT_TRUE(Texts(3000, 10).empty());
  EXPECT_TRUE(Texts(uint64_t{1} << 60, 10).empty());
}

TEST_F(LogFileTest, FollowsWhatIsAppendedByteByByte) {
  folder_.Write("a.log", "");
  EXPECT_EQ(Update().lines, 0U);
  const std::string text = TimedLine(0, "one") + TimedLine(1, "two") + "thr";
  for (const char c : text) {
    Append(std::string_view(&c, 1));
    static_cast<void>(Update());
  }
  const LogState state = Update();
  EXPECT_EQ(state.lines, 3U);
  EXPECT_TRUE(state.open);
  EXPECT_EQ(state.generation, 1U);
  EXPECT_EQ(Texts(0, 5), (std::vector<std::string>{"one", "two", "thr"}));
  Append("ee\nfour");
  EXPECT_EQ(Update().lines, 4U);
  EXPECT_EQ(Texts(2, 5), (std::vector<std::string>{"three", "four"}));
}

TEST_F(LogFileTest, ReadsAPartAtATimeWhereItIsAskedTo) {
  folder_.Write("a.log", "0123456789\n0123456789\n");
  const Result<LogState> part = log_.Update(gate_, 15);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->indexed, 15U);
  EXPECT_EQ(part->bytes, 22U);
  EXPECT_EQ(Texts(0, 5), (std::vector<std::string>{"0123456789", "0123"}));
  EXPECT_EQ(Update().indexed, 22U);
  EXPECT_EQ(Texts(0, 5).size(), 2U);
}

TEST_F(LogFileTest, NoticesAFileThatWasCutReplacedOrRewritten) {
  folder_.Write("a.log", "one\ntwo\nthree\n");
  EXPECT_EQ(Update().lines, 3U);
  folder_.Write("a.log", "new\n");  // shorter, in place
  LogState state = Update();
  EXPECT_EQ(state.lines, 1U);
  EXPECT_EQ(state.generation, 2U);
  EXPECT_EQ(Texts(0, 5), (std::vector<std::string>{"new"}));
  folder_.Replace("a.log", "another\nfile\n");
  state = Update();
  EXPECT_EQ(state.generation, 3U);
  EXPECT_EQ(Texts(0, 5), (std::vector<std::string>{"another", "file"}));
  folder_.Write("a.log", "ANOTHER\nFILE\nlonger\n");  // longer, in place, but not appended to
  state = Update();
  EXPECT_EQ(state.generation, 4U);
  EXPECT_EQ(Texts(0, 5), (std::vector<std::string>{"ANOTHER", "FILE", "longer"}));
  folder_.Remove("a.log");
  EXPECT_FALSE(log_.Update(gate_));
}

TEST_F(LogFileTest, CutsLongLinesAndSaysHowLongTheyAre) {
  const std::string wide(3'000'000, 'w');
  folder_.Write("a.log", "first\n" + TimedLine(5, wide) + "last\nprogress 1%\rprogress 100%\r\n");
  EXPECT_EQ(Update().lines, 4U);
  const auto lines = log_.Lines(gate_, 0, 10, 100);
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 4U);
  EXPECT_EQ((*lines)[1].text, std::string(100, 'w'));
  EXPECT_EQ((*lines)[1].bytes, wide.size());
  EXPECT_EQ((*lines)[1].time_ns, At(5));
  EXPECT_EQ((*lines)[2].text, "last");
  EXPECT_EQ((*lines)[3].text, "progress 100%");
}

TEST_F(LogFileTest, ShowsTheEndOfAProgressBarOfMegabytes) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += fmt::format("\r{} of 200000", i);
  folder_.Write("a.log", text + "\nnext\n");
  EXPECT_EQ(Update().lines, 2U);
  EXPECT_EQ(Texts(0, 5), (std::vector<std::string>{"199999 of 200000", "next"}));
}

TEST_F(LogFileTest, TakesAnyBytes) {
  std::string text("\xff\xfe\0\x01\n\n\r\n\x1b[\n", 11);
  folder_.Write("a.log", text);
  EXPECT_EQ(Update().lines, 4U);
  EXPECT_EQ(Texts(0, 9).size(), 4U);
  EXPECT_EQ(Texts(0, 1)[0], std::string("\xff\xfe\0\x01", 4));
}

TEST_F(LogFileTest, FindsTheLineOfAMoment) {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += TimedLine(i * 10, fmt::format("line {}", i));
    if (i % 5 == 0) text += "  without a time\n";
  }
  folder_.Write("a.log", text);
  static_cast<void>(Update());
  const auto line = log_.LineAt(gate_, At(10'001));
  ASSERT_TRUE(line && *line);
  EXPECT_EQ(Texts(**line, 1), (std::vector<std::string>{"line 1001"}));
  EXPECT_EQ(log_.LineAt(gate_, At(-5)).value(), 0U);
  EXPECT_FALSE(log_.LineAt(gate_, At(30'000)).value());
}

TEST_F(LogFileTest, AClockThatJumpsBackLosesNothing) {
  folder_.Write("a.log", TimedLine(5000, "a") + TimedLine(9000, "b") + TimedLine(1000, "c") +
                             TimedLine(2000, "d"));
  static_cast<void>(Update());
  EXPECT_EQ(log_.LineAt(gate_, At(8000)).value(), 1U);
  EXPECT_EQ(log_.LineAt(gate_, At(0)).value(), 0U);
  const auto density = log_.Density(gate_, At(0), At(10'000), 10);
  ASSERT_TRUE(density);
  EXPECT_EQ(density->lines, (std::vector<uint32_t>{0, 1, 1, 0, 0, 1, 0, 0, 0, 1}));
}

TEST_F(LogFileTest, FindsTextForwardsAndBackwardsAndCounts) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += TimedLine(i, i % 100 == 50 ? "an \x1b[31mErr\x1b[0mor (x)" : "fine");
  }
  folder_.Write("a.log", text);
  static_cast<void>(Update());
  LogMatches found = Find("error (", 0);
  EXPECT_EQ(found.total, 10U);
  EXPECT_EQ(found.line, 50U);
  EXPECT_EQ(found.place, 0U);
  found = Find("error (", 51);
  EXPECT_EQ(found.line, 150U);
  EXPECT_EQ(Find("error (", 50, true).line, 950U) << "goes round";
  EXPECT_EQ(Find("error (", 151, true).line, 150U);
  EXPECT_EQ(Find("error (", 960).line, 50U) << "goes round";
  EXPECT_EQ(Find("error", 0, false).total, 10U);
  EXPECT_EQ(Find("ERROR", 0).total, 0U) << "a capital letter is meant";
  EXPECT_EQ(Find("e[r]+or", 0, false, true).total, 10U);
  EXPECT_FALSE(LogQuery::Make("(", true));
  EXPECT_TRUE(LogQuery::Make("(", false));
  EXPECT_FALSE(LogQuery::Make("", false));
}

TEST_F(LogFileTest, SearchesOnlyWhatIsNew) {
  folder_.Write("a.log", "needle\nhay\n");
  static_cast<void>(Update());
  EXPECT_EQ(Find("needle", 0).total, 1U);
  Append("hay\nneedle\nneed");
  static_cast<void>(Update());
  EXPECT_EQ(Find("needle", 0).total, 2U);
  Append("le\n");
  static_cast<void>(Update());
  EXPECT_EQ(Find("needle", 4).line, 4U);
  EXPECT_EQ(Find("needle", 0).total, 3U);
  folder_.Replace("a.log", "needle\n");
  static_cast<void>(Update());
  EXPECT_EQ(Find("needle", 0).total, 1U);
}

TEST_F(LogFileTest, TellsHowMuchWasPrintedWhen) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += TimedLine(i * 100, i == 42 ? "ERROR x" : i == 77 ? "WARNING y" : "z");
  }
  folder_.Write("a.log", text);
  static_cast<void>(Update());
  const auto exact = log_.Density(gate_, At(0), At(10'000), 10);
  ASSERT_TRUE(exact);
  EXPECT_TRUE(exact->exact);
  EXPECT_EQ(exact->lines, std::vector<uint32_t>(10, 10));
  EXPECT_EQ(exact->errors[4], 1U);
  EXPECT_EQ(exact->warnings[7], 1U);
  const auto part = log_.Density(gate_, At(4000), At(5000), 10);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->errors[2], 1U);
  EXPECT_EQ(std::accumulate(part->lines.begin(), part->lines.end(), 0U), 10U);
}

TEST_F(LogFileTest, OfManyLinesNoneIsLostInThePicture) {
  std::string text;
  constexpr int kLines = 50'000;
  for (int i = 0; i < kLines; ++i) text += TimedLine(i * 10, i % 1000 == 500 ? "ERROR" : "z");
  folder_.Write("a.log", text);
  static_cast<void>(Update());
  const auto whole = log_.Density(gate_, At(0), At(kLines * 10), 333);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->exact);
  EXPECT_EQ(std::accumulate(whole->lines.begin(), whole->lines.end(), 0U), unsigned{kLines});
  EXPECT_EQ(std::accumulate(whole->errors.begin(), whole->errors.end(), 0U), 50U);
  // Evenly printed: no part has twice the lines of another.
  EXPECT_LT(*std::max_element(whole->lines.begin() + 1, whole->lines.end() - 1), 200U);
  EXPECT_GT(*std::min_element(whole->lines.begin() + 1, whole->lines.end() - 1), 100U);
}

TEST(FindLogs, HasWhatWasPrintedFirstThenRanksThenTheRest) {
  TestFolder folder;
  for (const std::string_view name :
       {"logs/driver.log", "logs/rank-10.log", "logs/rank-2.log", "train.out", "notes.txt",
        "args.txt", "deep/er/x.log", "other/run.json", "other/x.log", ".git/x.log", "model.bin"}) {
    folder.Write(name, "x\n");
  }
  std::vector<std::string> paths;
  for (const FoundLog& log : FindLogs(folder.path().string(), FileGate())) {
    paths.push_back(log.path);
  }
  EXPECT_EQ(paths,
            (std::vector<std::string>{"logs/driver.log", "logs/rank-2.log", "logs/rank-10.log",
                                      "deep/er/x.log", "notes.txt", "train.out"}));
  EXPECT_EQ(RankInPath("logs/rank-3.log"), 3);
  EXPECT_EQ(RankInPath("rank_12/a.log"), 12);
  EXPECT_EQ(RankInPath("frank3.log"), std::nullopt);
  EXPECT_EQ(RankInPath("ranks.log"), std::nullopt);
}

TEST(FindLogs, ALinkInACircleIsNotFollowed) {
  TestFolder folder;
  folder.Write("a.log", "x\n");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() / "again");
  EXPECT_EQ(FindLogs(folder.path().string(), FileGate()).size(), 1U);
}

}  // namespace
}  // namespace telltale
