// SPDX-License-Identifier: Apache-2.0
#include "views/functions/request.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(Restrict, LeavesTheRowsThatMatchOrSaysThatItIsTooMuchWork) {
  std::string coin_tosses;
  uint32_t random = 1;
  while (coin_tosses.size() < 200'000)
    coin_tosses += ((random = random * 1664525 + 1013904223) >> 31U) != 0 ? 'a' : 'b';
  FunctionTable table;
  table.rows.resize(2);
  table.rows[0].name = coin_tosses;
  table.rows[1].name = "step";
  const std::vector<uint32_t> all = {0, 1};
  const auto restricted = [&](std::string_view text) {
    return Restrict(table, all, ParseRestriction(ParamValues(), text).value());
  };
  EXPECT_THAT(restricted("^st").value(), testing::ElementsAre(1U));
  const auto given_up = restricted("(a|b)*a(a|b){1000}c");
  ASSERT_FALSE(given_up);
  EXPECT_THAT(given_up.error().message, testing::HasSubstr("too much work"));
}

}  // namespace
}  // namespace telltale
