// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

namespace telltale {
namespace {

constexpr uint64_t kMebi = 1 << 20;

class ProgressTest : public testing::Test {
 protected:
  ProgressPlace Place(bool terminal, bool quiet = false) {
    ProgressPlace place;
    place.is_terminal = terminal;
    place.quiet = quiet;
    place.width = 80;
    place.now_ns = [this] { return now_ms_ * 1'000'000; };
    place.write = [this](std::string_view text) { written_ += text; };
    return place;
  }
  std::string Written() { return std::exchange(written_, {}); }

  int64_t now_ms_ = 5'000;
  std::string written_;
};

TEST_F(ProgressTest, SaysNothingInTheFirstSecond) {
  Progress progress(Place(true));
  for (; now_ms_ < 5'950; now_ms_ += 90) progress.Update(kMebi, 10 * kMebi);
  progress.Note("analysing");
  progress.Finish();
  EXPECT_EQ(Written(), "");
}

TEST_F(ProgressTest, ShowsBytesRateAndTimeLeftOnATerminal) {
  Progress progress(Place(true));
  now_ms_ += 2'000;
  progress.Update(100 * kMebi, 400 * kMebi);
  EXPECT_EQ(Written(), "\r\x1b[Kreading 100.0 MiB of 400.0 MiB (25 %), 50.0 MiB/s, 6 s left");
}

TEST_F(ProgressTest, RedrawsAtMostTenTimesASecond) {
  Progress progress(Place(true));
  now_ms_ += 1'000;
  for (int i = 0; i < 1'000; ++i, ++now_ms_) progress.Update(kMebi, 100 * kMebi);
  const std::string text = Written();
  int draws = 0;
  for (size_t at = text.find('\r'); at != std::string::npos; at = text.find('\r', at + 1)) ++draws;
  EXPECT_EQ(draws, 10);
}

TEST_F(ProgressTest, ErasesTheLineAtTheEnd) {
  Progress progress(Place(true));
  now_ms_ += 2'000;
  progress.Update(kMebi, 2 * kMebi);
  static_cast<void>(Written());
  progress.Finish();
  EXPECT_EQ(Written(), "\r\x1b[K");
  progress.Update(kMebi, 2 * kMebi);
  progress.Finish();
  EXPECT_EQ(Written(), "");
}

TEST_F(ProgressTest, LongTimesAreReadable) {
  Progress progress(Place(true));
  now_ms_ += 10'000;
  progress.Update(kMebi, 10 * kMebi);
  EXPECT_NE(Written().find("1 min 30 s left"), std::string::npos);
  now_ms_ += 1'000;
  progress.Update(kMebi, 1'000 * kMebi);
  EXPECT_NE(Written().find("3 h 03 min left"), std::string::npos);
}

TEST_F(ProgressTest, UnknownTotalsShowWhatIsKnown) {
  Progress progress(Place(true));
  now_ms_ += 2'000;
  progress.Update(100 * kMebi, 0);
  EXPECT_EQ(Written(), "\r\x1b[Kreading 100.0 MiB, 50.0 MiB/s");
}

TEST_F(ProgressTest, AGrowingFileNeverExceedsItsTotal) {
  Progress progress(Place(true));
  now_ms_ += 2'000;
  progress.Update(20 * kMebi, 10 * kMebi);
  EXPECT_NE(Written().find("20.0 MiB of 20.0 MiB (100 %)"), std::string::npos);
}

TEST_F(ProgressTest, OneLinePerTenthElsewhere) {
  Progress progress(Place(false));
  for (uint64_t percent = 0; percent <= 100; ++percent, now_ms_ += 100) {
    progress.Update(percent * kMebi, 100 * kMebi);
  }
  progress.Note("analysing");
  progress.Finish();
  const std::string text = Written();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "telltale: 10 % read (10.0 MiB of 100.0 MiB, 10.0 MiB/s, 9 s left)");
}

TEST_F(ProgressTest, QuietIsQuiet) {
  for (const bool terminal : {true, false}) {
    Progress progress(Place(terminal, true));
    now_ms_ += 5'000;
    progress.Update(kMebi, 2 * kMebi);
    progress.Note("analysing");
    progress.Finish();
  }
  EXPECT_EQ(Written(), "");
}

TEST_F(ProgressTest, NotesFitTheLine) {
  ProgressPlace place = Place(true);
  place.width = 20;
  Progress progress(place);
  now_ms_ += 2'000;
  progress.Note("analysing 123,456,789 events");
  EXPECT_EQ(Written(), "\r\x1b[Kanalysing…89 events");
}

}  // namespace
}  // namespace telltale
