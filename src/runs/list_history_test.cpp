// SPDX-License-Identifier: Apache-2.0
#include "runs/list_history.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ListHistory, TellsWhatLeftSince) {
  ListHistory history(100);
  EXPECT_THAT(history.LeftSince(100).value(), IsEmpty());
  EXPECT_EQ(history.Change(), 101U);
  history.Left("a");
  history.Left("b");
  EXPECT_EQ(history.revision(), 103U);
  EXPECT_THAT(history.LeftSince(100).value(), ElementsAre("a", "b"));
  EXPECT_THAT(history.LeftSince(102).value(), ElementsAre("b"));
  EXPECT_EQ(history.LeftSince(99), std::nullopt) << "of another server";
  EXPECT_EQ(history.LeftSince(104), std::nullopt) << "of none";
}

TEST(ListHistory, ForgetsWhatIsLongAgoAndSaysSo) {
  ListHistory history(0);
  for (int i = 0; i < 1500; ++i) history.Left(std::to_string(i));
  EXPECT_EQ(history.LeftSince(499), std::nullopt);
  EXPECT_EQ(history.LeftSince(500).value().size(), 1000U);
  EXPECT_EQ(history.LeftSince(500).value().front(), "500");
}

TEST(ListHistory, ALaterServerBeginsBehindAnEarlierOne) {
  ListHistory first;
  for (int i = 0; i < 5; ++i) first.Change();
  EXPECT_GE(ListHistory().revision() + 5, first.revision());
  EXPECT_GT(ListHistory().revision(), 1'700'000'000'000'000U) << "microseconds since 1970";
}

}  // namespace
}  // namespace telltale
