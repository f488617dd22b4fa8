// SPDX-License-Identifier: Apache-2.0
#include "views/suggest.h"

#include <array>

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(EditDistance, CountsTheFourEdits) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("sort", "sort"), 0u);
  EXPECT_EQ(EditDistance("srot", "sort"), 1u);  // swapped neighbours
  EXPECT_EQ(EditDistance("sor", "sort"), 1u);
  EXPECT_EQ(EditDistance("sorrt", "sort"), 1u);
  EXPECT_EQ(EditDistance("sxrt", "sort"), 1u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

constexpr std::array<std::string_view, 4> kNames = {"profile", "validate", "operators",
                                                    "step-annotation"};

TEST(Nearest, FindsTypos) {
  EXPECT_EQ(Nearest("porfile", kNames), "profile");
  EXPECT_EQ(Nearest("validat", kNames), "validate");
  EXPECT_EQ(Nearest("op", kNames), "operators");
  EXPECT_EQ(Nearest("step", kNames), "step-annotation");
}

TEST(Nearest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(Nearest("xyzzy", kNames), "");
  EXPECT_EQ(Nearest("", kNames), "");
  EXPECT_EQ(Nearest(std::string(5000, 'p'), kNames), "");
}

TEST(DidYouMean, IsASentencePart) {
  EXPECT_EQ(DidYouMean("profil", kNames), "; did you mean 'profile'?");
  EXPECT_EQ(DidYouMean("step-anotation", kNames, "--"), "; did you mean '--step-annotation'?");
  EXPECT_EQ(DidYouMean("qqqq", kNames), "");
}

}  // namespace
}  // namespace telltale
