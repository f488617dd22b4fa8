// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/test_api.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ApiTest, ComparesTwoProfiles) {
  folder_.Write("a.json", SmallTrace(4));
  folder_.Write("b.json", SmallTrace(6));
  Start();
  const std::string diff = "/diff?before=" + Id("/a") + "&after=" + Id("/b");
  EXPECT_EQ(Get(diff).status, 202U);
  while (profiles_->residency.LoadNext()) {
  }
  const Json both = Good(diff);
  EXPECT_EQ(both.Text("/before"), "runs/a");
  EXPECT_EQ(both.Text("/after"), "runs/b");
  EXPECT_EQ(both.Int("/samples_after"), 6);
  EXPECT_FALSE(both.Text("/answer").empty());
  EXPECT_EQ(Good(diff + "&steps=1..2").Int("/samples_before"), 2);
  EXPECT_THAT(Wrong("/diff?before=" + Id("/a")), HasSubstr("before and after"));
  EXPECT_THAT(Wrong(diff + "&markdown"), StartsWith("400 "));
  EXPECT_THAT(Wrong("/diff?before=none&after=" + Id("/a")), StartsWith("404 "));
}

}  // namespace
}  // namespace telltale
