// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

Result<MonitorRequest> Parse(const std::vector<std::string>& words) {
  const Result<Arguments> arguments = ParseArguments(MonitorCommandSpec(), words);
  if (!arguments) return tl::unexpected(arguments.error());
  return MakeMonitorRequest(*arguments);
}

TEST(MonitorRequest, IntervalHasTheNamesPeopleKnow) {
  for (const char* name : {"--interval", "--monitoring-interval", "--monitoring_interval",
                           "--monitoring_interval_seconds", "--monitoring-interval-seconds"}) {
    const auto request = Parse({name, "0.5"});
    ASSERT_TRUE(request) << name;
    EXPECT_EQ(request->interval_ns, 500'000'000) << name;
  }
  EXPECT_EQ(Parse({})->interval_ns, 1'000'000'000);
}

TEST(MonitorRequest, WordsBehindTwoDashesAreTheCommand) {
  const auto request = Parse({"--quiet", "--", "python", "-m", "train", "--json"});
  ASSERT_TRUE(request);
  EXPECT_THAT(request->command, testing::ElementsAre("python", "-m", "train", "--json"));
  EXPECT_FALSE(request->json);
  EXPECT_TRUE(request->quiet);
}

TEST(MonitorRequest, RefusesWhatDoesNotGoTogether) {
  EXPECT_FALSE(Parse({"--pid", "1", "--", "true"}));
  EXPECT_FALSE(Parse({"--count", "1", "--", "true"}));
  EXPECT_FALSE(Parse({"--color", "--no-color"}));
  EXPECT_FALSE(Parse({"--into="}));
  EXPECT_FALSE(Parse({"--", ""}));
  EXPECT_FALSE(Parse({"--pid", "0"}));
  EXPECT_FALSE(Parse({"--interval", "5x"}));
}

}  // namespace
}  // namespace telltale
