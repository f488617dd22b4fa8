// SPDX-License-Identifier: Apache-2.0
#include "cli/run_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(RunDefaults, ValuesOfTheRunTable) {
  const auto values = ParseRunDefaults(
      "# mine\nroot = \"not in a table\"\n[other]\nseed = 3\n[run]\nmax_epochs = 2 # two\n"
      "name = \"a # b\"\ntag = ['x', \"y\"]\nquiet = true\n");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_THAT(*values, ElementsAre(Pair("max_epochs", "2"), Pair("name", "a # b"), Pair("tag", "x"),
                                   Pair("tag", "y"), Pair("quiet", "true")));
}

TEST(RunDefaults, WhatIsNoValueIsSaidWithItsLine) {
  for (const char* line : {"seed", "= 3", "seed =", "seed = \"3", "tag = [\"a\"", "seed = 1 2"}) {
    const auto values = ParseRunDefaults(std::string("[run]\n") + line + "\n");
    ASSERT_FALSE(values) << line;
    EXPECT_THAT(values.error().message, HasSubstr("line 2")) << line;
  }
}

TEST(RunDefaults, TheTemplateAsksForNothing) {
  const std::string text = RunDefaultsTemplate();
  EXPECT_THAT(text, HasSubstr("# limit_train_batches = "));
  const auto values = ParseRunDefaults(text);
  ASSERT_TRUE(values);
  EXPECT_TRUE(values->empty());
}

}  // namespace
}  // namespace telltale
