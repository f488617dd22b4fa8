// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(Utf8, LeavesGoodTextAlone) {
  for (const std::string_view text : {"", "plain",
                                      "gr\xc3\xb6\xc3\x9f"
                                      "e",
                                      "\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(ReplaceInvalidUtf8(text), std::nullopt) << text;
  }
}

TEST(Utf8, ReplacesEachBadByte) {
  EXPECT_EQ(ReplaceInvalidUtf8("a\xff"
                               "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(ReplaceInvalidUtf8("\xc3"), "\xef\xbf\xbd");                  // cut
  EXPECT_EQ(ReplaceInvalidUtf8("\xed\xa0\x80").value_or("").size(), 9U);  // a surrogate
  EXPECT_EQ(ReplaceInvalidUtf8("\xc0\xaf").value_or("").size(), 6U);      // overlong
  EXPECT_EQ(ReplaceInvalidUtf8("\xc3\xb6\xfe"), "\xc3\xb6\xef\xbf\xbd");
}

TEST(RepairUtf8, ReplacesOnlyWhatIsBroken) {
  EXPECT_EQ(RepairUtf8("a\xFFz\x1b"), "a\uFFFDz\x1b");
  EXPECT_EQ(RepairUtf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(RepairUtf8("\xC0\xAF"), "\uFFFD\uFFFD");            // overlong
}

}  // namespace
}  // namespace telltale
