// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/joined.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;

struct File {
  SeriesSet set;
  File& Steps(std::vector<int64_t> steps, std::string_view tag = "loss") {
    const uint32_t at = set.FindOrAdd(tag, "scalars");
    for (const int64_t step : steps) {
      set.tags[at].scalars.Append(step, 0, static_cast<double>(step));
    }
    return *this;
  }
  File& Start(int64_t step) {
    set.AddRestart({step, 0, 0});
    return *this;
  }
};

JoinedScalars Join(const std::vector<const File*>& files) {
  std::vector<const SeriesSet*> sets;
  for (const File* const file : files) sets.push_back(&file->set);
  return JoinedScalars(sets, "loss");
}

std::vector<int64_t> Visible(const JoinedScalars& joined) {
  std::vector<int64_t> steps;
  joined.ForEachVisible([&](size_t i, const ScalarPoint& point) {
    EXPECT_FALSE(joined.hidden(i));
    steps.push_back(point.step);
  });
  EXPECT_EQ(steps.size(), joined.visible_size());
  return steps;
}

TEST(JoinedScalars, KeepsRepeatedSteps) {
  const File file = File().Steps({0, 0, 0, 1, 1});
  const JoinedScalars joined = Join({&file});
  EXPECT_THAT(Visible(joined), ElementsAre(0, 0, 0, 1, 1));
  EXPECT_EQ(joined.segments().size(), 1U);
}

TEST(JoinedScalars, HidesWhatAStepThatGoesBackOverwrites) {
  const File file = File().Steps({0, 1, 2, 3, 4, 2, 3, 9});
  const JoinedScalars joined = Join({&file});
  EXPECT_EQ(joined.size(), 8U);
  EXPECT_THAT(Visible(joined), ElementsAre(0, 1, 2, 3, 9));
  EXPECT_EQ(joined.segments().size(), 2U);
  EXPECT_TRUE(joined.hidden(2));
  EXPECT_TRUE(joined.hidden(4));
  EXPECT_FALSE(joined.hidden(5));
}

TEST(JoinedScalars, HidesAcrossSeveralBeginningsAndFiles) {
  const File first = File().Steps({0, 1, 2, 3, 4, 5});
  const File second = File().Steps({4, 5, 6});
  const File third = File().Steps({2, 3});
  EXPECT_THAT(Visible(Join({&first, &second, &third})), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Visible(Join({&first, &second})), ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(JoinedScalars, BeginsAgainWhereTheWriterSaysSo) {
  const File one = File().Steps({0, 1, 2, 3}).Start(2).Steps({2, 3, 4});
  EXPECT_THAT(Visible(Join({&one})), ElementsAre(0, 1, 2, 3, 4));
  // Without new points: what was overwritten is hidden all the same.
  const File first = File().Steps({0, 1, 2, 3});
  const File other = File().Start(1).Steps({1}, "acc");
  const JoinedScalars joined = Join({&first, &other});
  EXPECT_THAT(Visible(joined), ElementsAre(0));
  EXPECT_EQ(joined.size(), 4U);
  // A beginning that overwrites nothing is a new segment.
  const File more = File().Start(4).Steps({4, 5});
  const JoinedScalars goes_on = Join({&first, &more});
  EXPECT_THAT(Visible(goes_on), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(goes_on.segments().size(), 2U);
}

TEST(JoinedScalars, AgreesWithTheDefinitionOnAnySteps) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<File> files(1 + random() % 3);
    std::vector<int64_t> steps;
    std::vector<std::pair<size_t, int64_t>> beginnings;
    for (File& file : files) {
      for (size_t n = random() % 400; n > 0; --n) {
        if (random() % 100 == 0) {
          const auto step = static_cast<int64_t>(random() % 60);
          file.Start(step);
          beginnings.emplace_back(steps.size(), step);
        }
        const int64_t last = steps.empty() ? 0 : steps.back();
        const int64_t step = random() % 50 == 0 ? static_cast<int64_t>(random() % 60)
                                                : last + static_cast<int64_t>(random() % 2);
        if (step < last && !steps.empty()) beginnings.emplace_back(steps.size(), step);
        steps.push_back(step);
        file.Steps({step});
      }
      if (random() % 2 == 0) file.set.ShrinkToFit();
    }
    std::vector<const File*> pointers;
    for (const File& file : files) pointers.push_back(&file);
    const JoinedScalars joined = Join(pointers);
    ASSERT_EQ(joined.size(), steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      bool hidden = false;
      for (const auto& [index, step] : beginnings) hidden |= index > i && steps[i] >= step;
      ASSERT_EQ(joined.hidden(i), hidden) << round << " " << i;
    }
  }
}

TEST(JoinedScalars, OfNothingIsEmpty) {
  const File file = File().Steps({1}, "acc");
  const JoinedScalars joined = Join({&file});
  EXPECT_TRUE(joined.empty());
  EXPECT_TRUE(joined.segments().empty());
}

}  // namespace
}  // namespace telltale
