// SPDX-License-Identifier: Apache-2.0
#include "cli/jsonc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/json/value.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<JsoncEntry> kEntries = {{"a", "{ \"name\": \"a\" }"},
                                          {"b", "{\n  \"name\": \"b\"\n}"}};

std::string Add(std::string_view document) {
  const Result<std::string> out = WithEntries(document, "list", "name", kEntries);
  return out ? *out : "! " + out.error().message;
}

TEST(Jsonc, AnEmptyDocumentGetsTheList) {
  const std::string out = Add("{}");
  EXPECT_EQ(out,
            "{\n  \"list\": [\n    { \"name\": \"a\" },\n    {\n      \"name\": \"b\"\n    }\n  "
            "]\n}");
  EXPECT_TRUE(ParseJson(out));
}

TEST(Jsonc, WhatIsThereStaysToTheLetter) {
  const std::string document =
      "// mine\n{\n  /* \"list\": [] */\n  \"version\": \"0.2.0\", // keep\n  \"list\": [\n"
      "    { \"name\": \"mine\", \"args\": [\"a\", \"]\"] } // last\n  ]\n}\n";
  const std::string out = Add(document);
  EXPECT_THAT(out, HasSubstr("{ \"name\": \"mine\", \"args\": [\"a\", \"]\"] }, // last\n"
                             "    { \"name\": \"a\" },\n"));
  EXPECT_THAT(out,
              HasSubstr("// mine\n{\n  /* \"list\": [] */\n  \"version\": \"0.2.0\", // keep"));
  EXPECT_EQ(Add(out), out) << "a second time changes nothing";
}

TEST(Jsonc, CommasTooManyAreFine) {
  const std::string out = Add("{ \"list\": [ { \"name\": \"b\", }, ], }");
  EXPECT_THAT(out, HasSubstr("\"b\", },\n    { \"name\": \"a\" }\n  ]"));
  EXPECT_THAT(out, Not(HasSubstr(",,")));
  EXPECT_EQ(Add(out), out);
}

TEST(Jsonc, AnotherListOfTheSameNameFurtherInIsAnotherOne) {
  const std::string out = Add("{ \"inner\": { \"list\": [1] } }");
  EXPECT_THAT(out, HasSubstr("{ \"inner\": { \"list\": [1] },\n  \"list\": [\n"));
}

TEST(Jsonc, NothingIsGuessed) {
  for (const char* document : {"", "[]", "{", "{ \"list\": 3 }", "{ \"list\" }", "{ \"a\": \"x }",
                               "{ /* }", "{ \"list\": [ } ]", "{} {}", "nonsense"}) {
    EXPECT_THAT(Add(document), testing::StartsWith("! line ")) << document;
  }
}

}  // namespace
}  // namespace telltale
