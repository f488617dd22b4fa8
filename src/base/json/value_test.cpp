// SPDX-License-Identifier: Apache-2.0
#include "base/json/value.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/scan.h"
#include "base/json/text.h"

namespace telltale {
namespace {

using testing::HasSubstr;

constexpr std::string_view kDocument =
    R"( {"name": "a \u00e9\n\"b\"", "step": 9007199254740993, "lr": 1e-05, "none": null,
  "tags": ["x", [true, false], {}], "name": "second", "loss": NaN} )";

TEST(IsJson, TellsWholeValues) {
  for (const char* good :
       {"[]", "[[1,2],[-3.5e+4]]", "\"a\\u00e9\\n\"", "{\"a\":[true,false,null]}", "0", " [1] "}) {
    EXPECT_TRUE(IsJson(good)) << good;
  }
  for (const char* bad : {"", "[", "[1,]", "[01]", "[1 2]", "nul", "\"a", "\"\\x\"", "{\"a\"}",
                          "[1]]", "N/A", "1.", "-"}) {
    EXPECT_FALSE(IsJson(bad)) << bad;
  }
  EXPECT_FALSE(IsJson(std::string(100'000, '[')));
}

TEST(CompactJson, CopiesWithoutSpaceAndRepairsStrings) {
  EXPECT_EQ(CompactJson(" [ 1 , {\"a\" : [ ] , \"b\":null} ] "), "[1,{\"a\":[],\"b\":null}]");
  EXPECT_EQ(CompactJson("[\"a\tb\\q\", {}, 2]"), R"(["a\tb\\q",{},2])");
  EXPECT_EQ(CompactJson("[NaN]"), "\"[NaN]\"");
  EXPECT_EQ(CompactJson("[1"), "\"[1\"");
}

TEST(JsonValue, HoldsADocument) {
  const Result<JsonValue> json = ParseJson(kDocument);
  ASSERT_TRUE(json.has_value()) << json.error().message;
  EXPECT_EQ(json->members().size(), 7U);
  EXPECT_EQ(json->members()[0].second.AsString(), "a é\n\"b\"");
  EXPECT_EQ((*json)["name"].AsString(), "second");  // as Python reads it
  EXPECT_EQ((*json)["step"].AsInt(), 9007199254740993);
  EXPECT_EQ((*json)["lr"].AsDouble(), 1e-05);
  EXPECT_TRUE((*json)["none"].IsNull());
  EXPECT_TRUE(std::isnan((*json)["loss"].AsDouble()));
  const std::vector<JsonValue>& tags = (*json)["tags"].elements();
  ASSERT_EQ(tags.size(), 3U);
  EXPECT_TRUE(tags[1].elements()[0].AsBool());
  EXPECT_EQ(tags[2].kind(), JsonValue::Kind::kObject);
  EXPECT_TRUE((*json)["absent"]["below"].IsNull());
}

TEST(JsonValue, KnowsWholeNumbers) {
  const auto whole = [](std::string_view text) { return ParseJson(text)->WholeNumber(); };
  EXPECT_EQ(whole("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(whole("9223372036854775808"), std::nullopt);
  EXPECT_EQ(whole("3.0"), 3);
  EXPECT_EQ(whole("3.5"), std::nullopt);
  EXPECT_EQ(whole("NaN"), std::nullopt);
  EXPECT_EQ(whole("\"3\""), std::nullopt);
}

TEST(JsonValue, WritesAgainWhatItRead) {
  const std::string text =
      R"({"a":[1,-2.5,"x\"y",null,true,false],"b":{"c":9007199254740993,"c":2}})";
  const Result<JsonValue> value = ParseJson(" " + text + "\n");
  ASSERT_TRUE(value);
  EXPECT_EQ(ToJsonText(*value), text);
}

TEST(JsonValue, TakesWhatPythonWrites) {
  const Result<JsonValue> value = ParseJson("[NaN, Infinity, -Infinity, 1e999, 1e-999]");
  ASSERT_TRUE(value);
  EXPECT_TRUE(std::isnan(value->elements()[0].AsDouble()));
  EXPECT_EQ(ToJsonText(*value), R"(["NaN","Infinity","-Infinity","Infinity",0.0])");
}

TEST(JsonValue, DepthAndNumberAreBounded) {
  EXPECT_FALSE(ParseJson(std::string(100'000, '[')));
  const Result<JsonValue> many = ParseJson("[1,2,3,4]", {.depth = 4, .values = 3});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().offset, 5U);
}

TEST(JsonValue, SaysWhereTheTextIsWrong) {
  const auto problem = [](std::string_view text) {
    const Result<JsonValue> json = ParseJson(text, {.bytes = 100, .depth = 3});
    return json ? Error() : json.error();
  };
  EXPECT_EQ(problem(R"({"a": 1,})").offset, 8U);
  EXPECT_THAT(problem(R"({"a": 1,})").message, HasSubstr("a key and a colon at byte 8"));
  EXPECT_THAT(problem("[1").message, HasSubstr("at byte 2, where the text ends"));
  EXPECT_THAT(problem("1 2").message, HasSubstr("nothing more at byte 2"));
  EXPECT_THAT(problem("[[[[1]]]]").message, HasSubstr("fewer nested brackets at byte 3"));
  EXPECT_THAT(problem(std::string(101, ' ')).message, HasSubstr("at most 100"));
}

TEST(JsonValue, EveryCutIsWrong) {
  const size_t end = kDocument.find_last_of('}');
  for (size_t size = 0; size <= end; ++size)
    EXPECT_FALSE(ParseJson(kDocument.substr(0, size)).has_value()) << size;
  EXPECT_TRUE(ParseJson(kDocument.substr(0, end + 1)).has_value());
}

}  // namespace
}  // namespace telltale
