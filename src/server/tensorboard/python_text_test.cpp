// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/python_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace telltale {
namespace {

TEST(PythonText, NumbersAreAsReprWritesThem) {
  EXPECT_EQ(PythonFloat(0), "0.0");
  EXPECT_EQ(PythonFloat(-1.5), "-1.5");
  EXPECT_EQ(PythonFloat(1790000027.25), "1790000027.25");
  EXPECT_EQ(PythonFloat(1e-5), "1e-05");
  EXPECT_EQ(PythonFloat(0.0001), "0.0001");
  EXPECT_EQ(PythonFloat(1e15), "1000000000000000.0");
  EXPECT_EQ(PythonFloat(1e16), "1e+16");
  EXPECT_EQ(PythonFloat(0.1F), "0.10000000149011612");
  EXPECT_EQ(PythonFloat(std::nan("")), "nan");
  EXPECT_EQ(PythonFloat(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(PythonText, TextsAreQuotedAsReprDoesIt) {
  EXPECT_EQ(PythonQuoted("a"), "'a'");
  EXPECT_EQ(PythonQuoted("it's"), "\"it's\"");
  EXPECT_EQ(PythonQuoted("'\""), "'\\'\"'");
  EXPECT_EQ(PythonQuoted("a\n\x01"), "'a\\n\\x01'");
}

TEST(PythonText, WhatJsonHasNoNumberForIsAText) {
  EXPECT_EQ(JsonNumber(0.5), "0.5");
  EXPECT_EQ(JsonNumber(std::nan("")), "\"NaN\"");
  EXPECT_EQ(JsonNumber(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
  EXPECT_EQ(QuotedJson("a\"\xff"), "\"a\\\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace telltale
