// SPDX-License-Identifier: Apache-2.0
#include "cli/convert.h"

#include <gtest/gtest.h>

#include "cli/convert_request.h"
#include "cli/convert_target.h"

namespace telltale {
namespace {

TEST(ConvertTarget, FollowsTheName) {
  const auto target = [](std::string_view path) {
    const FormatWriter* found = TargetForName(path);
    return found == nullptr ? "" : found->name;
  };
  EXPECT_EQ(target("a.json.gz"), "kineto");
  EXPECT_EQ(target("a.pftrace"), "perfetto");
  EXPECT_EQ(target("a.perfetto-trace.zst"), "perfetto");
  EXPECT_EQ(target("a.speedscope.json"), "speedscope");
  EXPECT_EQ(target("a.prof"), "pstats");
  EXPECT_EQ(target("a.folded"), "collapsed");
  EXPECT_EQ(target("a.csv"), "csv");
  EXPECT_EQ(target("a.bin"), "");
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
