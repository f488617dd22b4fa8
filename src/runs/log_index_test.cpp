// SPDX-License-Identifier: Apache-2.0
#include "runs/log_index.h"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "runs/log_text.h"
#include "runs/run_settings.h"

namespace telltale {
namespace {

using namespace std::string_view_literals;

constexpr int64_t kSecond = 1'000'000'000;

std::string Line(int i) {
  return fmt::format("2026-11-15T20:{:02}:{:02}.{:03}Z step {}\n", i / 60'000 % 60, i / 1000 % 60,
                     i % 1000, i);
}

TEST(LogText, TakesATimeThatSaysItsZone) {
  const LogLine own = SplitLogTime("2026-11-15T20:45:01.123Z loss 0.5");
  EXPECT_EQ(own.time_ns, ParseTime("2026-11-15T20:45:01.123Z"));
  EXPECT_EQ(own.text, "loss 0.5");
  EXPECT_EQ(SplitLogTime("2026-11-15T21:45:01.123+01:00 x").time_ns, own.time_ns);
  EXPECT_EQ(SplitLogTime("2026-11-15T20:45:01.123Z").text, "");
  EXPECT_EQ(SplitLogTime("2026-11-15T20:45:01.123Z  two").text, " two");
}

TEST(LogText, ATimeWithoutItsZoneIsText) {
  for (const std::string_view line :
       {"2026-11-15 20:45:01,123 INFO x", "2026-11-15T20:45:01 x", "2026-13-15T20:45:01Z x",
        "2026-11-15T20:45:01Zx", "2026-11-15T20:45", "", "x"}) {
    const LogLine split = SplitLogTime(line);
    EXPECT_FALSE(split.time_ns) << line;
    EXPECT_EQ(split.text, line);
  }
}

TEST(LogText, KnowsLevelsByTheirWordsAndNotByProse) {
  for (const std::string_view error :
       {"ERROR could not", "[rank0] ERROR: x", "Traceback (most recent call last):",
        "ValueError: bad", "torch.cuda.OutOfMemoryError: CUDA", "KeyboardInterruptException",
        "\x1b[31mERROR\x1b[0m x", "11:02 CRITICAL"}) {
    EXPECT_EQ(LevelOf(error), LogLevel::kError) << error;
  }
  for (const std::string_view warning :
       {"WARNING: x", "x.py:3: UserWarning: slow", "[WARN] y", "\x1b[1;33mWARNING"}) {
    EXPECT_EQ(LevelOf(warning), LogLevel::kWarning) << warning;
  }
  for (const std::string_view plain :
       {"loss 0.5", "val error: 0.12", "INFO 3 ERROR pages", "Errors are none", "ERRORS", "",
        "mean absolute error 3", "TypeErrors"}) {
    EXPECT_EQ(LevelOf(plain), LogLevel::kPlain) << plain;
  }
}

TEST(LogText, ShowsWhatStandsThereInTheEnd) {
  EXPECT_EQ(AfterReturns("10%\r50%\r100%"), "100%");
  EXPECT_EQ(AfterReturns("100%\r\r"), "100%");
  EXPECT_EQ(AfterReturns("plain"), "plain");
  EXPECT_EQ(AfterReturns(""), "");
  EXPECT_EQ(WithoutEscapes("a\x1b[31mb\x1b]0;t\x07"
                           "c\x1b[3"),
            "abc");
}

TEST(LogIndex, IsTheSameForPiecesOfAnySize) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += i % 7 == 0 ? "ERROR no time\n" : Line(i * 10);
  text += "\xff\xfe binary \0 and\r"sv;
  text += "returns\n\n\nnot finished";
  LogIndex whole;
  whole.Append(text);
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, size_t{255}, size_t{4096}}) {
    LogIndex index;
    for (size_t at = 0; at < text.size(); at += piece) {
      index.Append(std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(index.lines(), whole.lines()) << piece;
    EXPECT_EQ(index.finished(), whole.finished());
    EXPECT_EQ(index.position(), text.size());
    EXPECT_EQ(index.errors(), whole.errors());
    EXPECT_EQ(index.timed_lines(), whole.timed_lines());
    ASSERT_EQ(index.blocks().size(), whole.blocks().size());
    for (size_t i = 0; i < index.blocks().size(); ++i) {
      EXPECT_EQ(index.blocks()[i].offset, whole.blocks()[i].offset);
      EXPECT_EQ(index.blocks()[i].earliest_ns, whole.blocks()[i].earliest_ns);
      EXPECT_EQ(index.blocks()[i].latest_ns, whole.blocks()[i].latest_ns);
    }
  }
  EXPECT_TRUE(whole.is_open());
  EXPECT_EQ(whole.lines(), 2004U);
  EXPECT_EQ(whole.finished(), 2003U);
  EXPECT_EQ(whole.errors(), 286U);
}

TEST(LogIndex, KnowsWhereEveryBlockBegins) {
  LogIndex index;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += Line(i);
  index.Append(text);
  ASSERT_EQ(index.blocks().size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    const size_t line = i * LogIndex::kFirstStride;
    const std::string begin = fmt::format("step {}\n", line);
    const std::string at = text.substr(index.blocks()[i].offset, Line(0).size() + 4);
    EXPECT_NE(at.find(begin), std::string::npos) << at;
  }
  EXPECT_EQ(index.LinesOf(0), 256U);
  EXPECT_EQ(index.LinesOf(3), 232U);
  EXPECT_EQ(*index.last_time_ns() - *index.first_time_ns(), 999 * (kSecond / 1000));
}

TEST(LogIndex, StaysSmallHoweverManyLinesThereAre) {
  LogIndex index;
  const uint64_t lines = LogIndex::kMostBlocks * LogIndex::kFirstStride * 2 + 1000;
  const std::string some(4096, '\n');
  uint64_t done = 0;
  while (done < lines) {
    index.Append(some);
    done += some.size();
  }
  EXPECT_EQ(index.finished(), done);
  EXPECT_LE(index.blocks().size(), LogIndex::kMostBlocks);
  EXPECT_GT(index.stride(), LogIndex::kFirstStride);
  EXPECT_EQ(index.blocks()[3].offset, 3 * index.stride());
  EXPECT_LT(index.memory_bytes(), size_t{8} << 20);
}

TEST(LogIndex, RemembersLinesThatNobodyShouldReadThrough) {
  LogIndex index;
  index.Append("short\n");
  const std::string piece(1 << 16, 'x');
  for (int i = 0; i < 40; ++i) index.Append(piece);
  index.Append("\nshort\n");
  EXPECT_EQ(index.lines(), 3U);
  const LogIndex::LongLine* const known = index.LongLineAt(1);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->offset, 6U);
  EXPECT_EQ(known->bytes, 40U << 16);
  EXPECT_EQ(index.LongLineAt(0), nullptr);
  EXPECT_EQ(index.LongLineAt(2), nullptr);
}

}  // namespace
}  // namespace telltale
