// SPDX-License-Identifier: Apache-2.0
#include "cli/convert.h"

#include <gtest/gtest.h>

#include "cli/convert_request.h"

namespace telltale {
namespace {

TEST(ConvertTarget, FollowsTheName) {
  EXPECT_EQ(TargetForName("a.json.gz"), ConvertTarget::kKineto);
  EXPECT_EQ(TargetForName("a.pftrace"), ConvertTarget::kPerfetto);
  EXPECT_EQ(TargetForName("a.perfetto-trace.zst"), ConvertTarget::kPerfetto);
  EXPECT_EQ(TargetForName("a.speedscope.json"), ConvertTarget::kSpeedscope);
  EXPECT_EQ(TargetForName("a.prof"), ConvertTarget::kPstats);
  EXPECT_EQ(TargetForName("a.folded"), ConvertTarget::kCollapsed);
  EXPECT_EQ(TargetForName("a.csv"), ConvertTarget::kCsv);
  EXPECT_EQ(TargetForName("a.bin"), std::nullopt);
}

TEST(ConvertWindow, IsSinceTheStartWithAUnitAndAbsoluteWithout) {
  const Result<TimeWindow> window = ParseWindow("20ms..1.5s");
  ASSERT_TRUE(window);
  EXPECT_FALSE(window->absolute);
  EXPECT_EQ(window->window, (Interval{20'000'000, 1'500'000'000}));
  const Result<TimeWindow> absolute = ParseWindow("1790000000000000000..1790000000000000005");
  ASSERT_TRUE(absolute);
  EXPECT_TRUE(absolute->absolute);
  EXPECT_EQ(absolute->window.end_ns, 1790000000000000005);
  EXPECT_TRUE(ParseWindow("..300us"));
  for (const std::string_view wrong : {"", "..", "5", "2s..1s", "1s..5", "x..y", "1s..2s..3s"}) {
    EXPECT_FALSE(ParseWindow(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace telltale
