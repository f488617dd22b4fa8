// SPDX-License-Identifier: Apache-2.0
#include "model/series.h"

#include <limits>

#include <gtest/gtest.h>

#include "model/run.h"

namespace telltale {
namespace {

TEST(SeriesSet, TellsPluginsOfOneTagApart) {
  SeriesSet set;
  const uint32_t scalars = set.FindOrAdd("loss", "scalars");
  const uint32_t other = set.FindOrAdd("acc", "scalars");
  const uint32_t histograms = set.FindOrAdd("loss", "histograms");
  const uint32_t images = set.FindOrAdd("loss", "images");
  EXPECT_EQ(set.tags.size(), 4U);
  EXPECT_EQ(set.FindOrAdd("loss", "scalars"), scalars);
  EXPECT_EQ(set.FindOrAdd("acc", "scalars"), other);
  EXPECT_EQ(set.FindOrAdd("loss", "histograms"), histograms);
  EXPECT_EQ(set.FindOrAdd("loss", "images"), images);
  EXPECT_EQ(set.Find("loss"), &set.tags[scalars]);
  EXPECT_EQ(set.Find("loss", "images"), &set.tags[images]);
  EXPECT_EQ(set.Find("loss", "audio"), nullptr);
  EXPECT_EQ(set.Find("nothing"), nullptr);
}

TEST(SeriesSet, MarksRestartsInTagsBeforeAndAfter) {
  SeriesSet set;
  SeriesTag& loss = set.tags[set.FindOrAdd("loss", "scalars")];
  loss.scalars.Append(1, 0, 0);
  loss.scalars.Append(2, 0, 0);
  set.AddRestart({2, 0, 100});
  const uint32_t acc = set.FindOrAdd("acc", "scalars");
  ASSERT_EQ(set.tags[0].restarts.size(), 1U);
  EXPECT_EQ(set.tags[0].restarts[0].first_index, 2U);
  EXPECT_EQ(set.tags[0].restarts[0].step, 2);
  ASSERT_EQ(set.tags[acc].restarts.size(), 1U);
  EXPECT_EQ(set.tags[acc].restarts[0].first_index, 0U);
}

TEST(SeriesSet, LeavesOutTimesThatAreNone) {
  SeriesSet set;
  set.SeeWallTime(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(set.first_wall_time);
  set.SeeWallTime(5);
  set.SeeWallTime(9);
  set.SeeWallTime(7);
  EXPECT_EQ(set.first_wall_time, 5);
  EXPECT_EQ(set.last_wall_time, 9);
}

TEST(SeriesSet, FindsAmongManyTags) {
  SeriesSet set;
  for (int i = 0; i < 5000; ++i) set.FindOrAdd("tag/" + std::to_string(i), "scalars");
  EXPECT_EQ(set.Find("tag/4321"), &set.tags[4321]);
  EXPECT_EQ(set.Find("tag/5000"), nullptr);
}

TEST(Run, NamesAndStatusesAreFoundByName) {
  for (size_t i = 0; i < kRunStatusCount; ++i) {
    EXPECT_EQ(RunStatusNamed(NameOf(RunStatus(i))), RunStatus(i));
  }
  for (size_t i = 0; i < kRunKindCount; ++i) {
    EXPECT_EQ(RunKindNamed(NameOf(RunKind(i))), RunKind(i));
  }
  EXPECT_FALSE(RunStatusNamed("running"));
  EXPECT_FALSE(RunKindNamed(""));
}

}  // namespace
}  // namespace telltale
