// SPDX-License-Identifier: Apache-2.0
#include "views/render/step_bar.h"

#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "views/render/display.h"
#include "views/sample_profile.h"

namespace telltale {
namespace {

TEST(Apportion, AddsUpExactly) {
  const std::vector<int64_t> parts = {33, 33, 34, 1, 0};
  for (size_t cells = 0; cells < 100; ++cells) {
    const std::vector<size_t> given = Apportion(parts, cells);
    EXPECT_EQ(std::accumulate(given.begin(), given.end(), size_t{0}), cells);
    EXPECT_EQ(given[4], 0u);
  }
}

TEST(Apportion, KeepsSmallPartsVisible) {
  EXPECT_EQ(Apportion(std::vector<int64_t>{991, 9}, 10), (std::vector<size_t>{9, 1}));
  EXPECT_EQ(Apportion(std::vector<int64_t>{999, 1}, 10), (std::vector<size_t>{10, 0}));
}

TEST(Apportion, NothingOfNothing) {
  EXPECT_EQ(Apportion(std::vector<int64_t>{0, 0}, 10), (std::vector<size_t>{0, 0}));
}

constexpr StepTimes kTimes = {50 * kMilli, 0, 0, 0, 0, 30 * kMilli, 15 * kMilli, 5 * kMilli};

TEST(StackedBar, FillsTheWidth) {
  EXPECT_EQ(RenderStackedBar(kTimes, 20, {}), "██████████▒▒▒▒▒▒░░░·");
  EXPECT_EQ(RenderStackedBar(kTimes, 20, {.unicode = false}), "KKKKKKKKKKDDDDDDPPP.");
  EXPECT_EQ(RenderStackedBar({}, 20, {}), "");
}

TEST(StackedBar, IsSolidInColour) {
  EXPECT_EQ(RenderStackedBar(kTimes, 4, {.color = true}),
            "\x1b[38;5;36m██\x1b[0m\x1b[38;5;166m█\x1b[0m\x1b[38;5;32m█\x1b[0m");
}

TEST(Legend, NamesTimesAndShares) {
  EXPECT_EQ(RenderLegend(kTimes, {.width = 80}, 2),
            "  █ kernel      50.00 ms  50.0 %    ▒ dataloader  30.00 ms  30.0 %\n"
            "  ░ CPU         15.00 ms  15.0 %    · other        5.00 ms   5.0 %\n");
  EXPECT_EQ(RenderLegend(kTimes, {.width = 40}, 0),
            "█ kernel      50.00 ms  50.0 %\n"
            "▒ dataloader  30.00 ms  30.0 %\n"
            "░ CPU         15.00 ms  15.0 %\n"
            "· other        5.00 ms   5.0 %\n");
  EXPECT_EQ(RenderLegend({}, {}, 2), "");
}

TEST(StepBars, ShareOneScale) {
  StepTimes half = kTimes;
  for (int64_t& time : half) time /= 2;
  const std::vector<StepBarRow> rows = {{"9", 50 * kMilli, half, ""},
                                        {"10", 100 * kMilli, kTimes, "slowest"}};
  EXPECT_EQ(RenderStepBars(rows, {.width = 45}, 2),
            "  9    50.0 ms  ████▒▒▒░░·\n"
            "  10  100.0 ms  ██████████▒▒▒▒▒▒░░░·  slowest\n");
}

TEST(StepBars, NeverExceedTheWidth) {
  const std::vector<StepBarRow> rows = {
      {"a very long step name indeed", 50 * kMilli, kTimes, "incomplete"},
      {"训练步骤", 100 * kMilli, kTimes, "slowest"}};
  for (size_t width = 40; width < 130; ++width) {
    std::istringstream lines(RenderStepBars(rows, {.width = width}, 2));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), width);
  }
}

}  // namespace
}  // namespace telltale
