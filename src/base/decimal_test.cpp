// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(Decimal, KeepsEveryNanosecondOfTodaysDates) {
  EXPECT_EQ(MicrosecondsToNs("1700000000123456.789"), 1700000000123456789);
  EXPECT_EQ(MicrosecondsToNs("1700000000123456.790"), 1700000000123456790);
}

TEST(Decimal, ReadsIntegersFractionsAndExponents) {
  EXPECT_EQ(MicrosecondsToNs("0"), 0);
  EXPECT_EQ(MicrosecondsToNs("12"), 12000);
  EXPECT_EQ(MicrosecondsToNs("12.5"), 12500);
  EXPECT_EQ(MicrosecondsToNs("-3.25"), -3250);
  EXPECT_EQ(MicrosecondsToNs("1.5e3"), 1500000);
  EXPECT_EQ(MicrosecondsToNs("1500E-3"), 1500);
  EXPECT_EQ(MicrosecondsToNs("0.0001"), 0);
  EXPECT_EQ(MicrosecondsToNs("0e999999999"), 0);
}

TEST(Decimal, RoundsHalfAwayFromZero) {
  EXPECT_EQ(MicrosecondsToNs("0.0005"), 1);
  EXPECT_EQ(MicrosecondsToNs("0.00049"), 0);
  EXPECT_EQ(MicrosecondsToNs("-0.0005"), -1);
  EXPECT_EQ(MicrosecondsToNs("1e-4"), 0);
  EXPECT_EQ(MicrosecondsToNs("7e-4"), 1);
}

TEST(Decimal, RefusesWhatIsNoNumberOrTooLarge) {
  for (const char* text :
       {"", "-", ".", "1x", "N/A", "e5", "1e", "1e+", "9223372036854776", "1e30"}) {
    EXPECT_EQ(MicrosecondsToNs(text), std::nullopt) << text;
  }
  EXPECT_EQ(MicrosecondsToNs("9223372036854775.807"), INT64_MAX);
}

}  // namespace
}  // namespace telltale
