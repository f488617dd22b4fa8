// SPDX-License-Identifier: Apache-2.0
#include "formats/json_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "formats/json_stream_oracle.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using Token = JsonStream::Token;

std::string Tokens(std::string_view text, size_t chunk = SIZE_MAX,
                   const ReadOptions& options = {}) {
  const std::unique_ptr<ByteSource> source = OpenMemory(text, chunk);
  JsonStream stream(*source, options);
  std::string out;
  for (;;) {
    switch (stream.Next()) {
      case Token::kBeginObject:
        out += "{ ";
        break;
      case Token::kEndObject:
        out += "} ";
        break;
      case Token::kBeginArray:
        out += "[ ";
        break;
      case Token::kEndArray:
        out += "] ";
        break;
      case Token::kKey:
        out += std::string(stream.text()) + ": ";
        break;
      case Token::kString:
        out += "'" + std::string(stream.text()) + "' ";
        break;
      case Token::kNumber:
        out += std::string(stream.text()) + " ";
        break;
      case Token::kTrue:
        out += "true ";
        break;
      case Token::kFalse:
        out += "false ";
        break;
      case Token::kNull:
        out += "null ";
        break;
      case Token::kEnd:
        EXPECT_EQ(stream.Next(), Token::kEnd);
        return out + "end";
      case Token::kBroken:
        EXPECT_EQ(stream.Next(), Token::kBroken);
        return out + "broken at " + std::to_string(stream.offset()) + ": " + stream.problem();
    }
  }
}

const std::string kDocument =
    "\xef\xbb\xbf {\"a\" : [1, -2.5e3,true,false , null], \"b\\n\\u00e9\": {}, \"c\": [[], "
    "{\"d\":\"x\"}],\n"
    "\"e\": \"\"} ";

TEST(JsonStream, FindsEveryToken) {
  const std::string expected =
      "{ a: [ 1 -2.5e3 true false null ] b\n\xc3\xa9: { } c: [ [ ] { d: 'x' } ] e: '' } end";
  EXPECT_EQ(Tokens(kDocument), expected);
  ReadOptions tiny;
  tiny.block_bytes = 1;
  EXPECT_EQ(Tokens(kDocument, 1, tiny), expected);
  EXPECT_EQ(Tokens("7"), "7 end");
  EXPECT_EQ(Tokens("\"x\"", 1), "'x' end");
}

TEST(JsonStream, AgreesWithSimdjson) {
  for (const std::string& text :
       {std::string("[1,2,{\"a\":[[[]]]}]"), kDocument.substr(3), std::string("\"\\ud83d\\ude00\""),
        std::string("[1e400]"), std::string("{\"a\":{\"a\":1},\"a\":2}"), std::string(" 0 ")}) {
    EXPECT_EQ(CompareTokensWithSimdjson(text), "") << text;
  }
}

TEST(JsonStream, ACutDocumentGivesItsBeginning) {
  const std::string whole = Tokens(kDocument);
  // Up to the closing bracket; the blank behind it may be missing.
  constexpr size_t kMark = 3;  // the byte order mark
  for (size_t size = kMark; size + 2 < kDocument.size(); ++size) {
    const std::string tokens = Tokens(kDocument.substr(0, size));
    EXPECT_THAT(tokens, HasSubstr("the text ends inside the document")) << size;
    const std::string found = tokens.substr(0, tokens.find("broken"));
    EXPECT_EQ(found, whole.substr(0, found.size())) << size;
  }
}

TEST(JsonStream, SaysWhereItIsWrong) {
  EXPECT_EQ(Tokens("[1 2]"), "[ 1 broken at 3: expected ',' or ']', found '2'");
  EXPECT_EQ(Tokens("{1: 2}"), "{ broken at 1: expected a key in quotation marks, found '1'");
  EXPECT_EQ(Tokens("{\"a\" 2}"), "{ a: broken at 5: expected ':' after a key, found '2'");
  EXPECT_EQ(Tokens("[1,]"), "[ 1 broken at 3: expected a value, found ']'");
  EXPECT_EQ(Tokens("[}"), "[ broken at 1: expected a value, found '}'");
  EXPECT_EQ(Tokens("[nil]"), "[ broken at 1: expected a value, found the word 'nil'");
  EXPECT_EQ(Tokens("[-]"), "[ broken at 1: expected a number, found '-'");
  EXPECT_EQ(Tokens("[\x01]"), "[ broken at 1: expected a value, found byte 1");
}

TEST(JsonStream, TakesWhatPythonWrites) {
  EXPECT_EQ(Tokens("[NaN, Infinity, -Infinity, 1]"), "[ null null null 1 ] end");
}

TEST(JsonStream, DeepNestingNeedsNoStack) {
  const std::string deep(200'000, '[');
  EXPECT_THAT(Tokens(deep), HasSubstr("the text ends inside the document"));
}

TEST(JsonStream, DoesNotHoldHugeTexts) {
  ReadOptions small;
  small.max_value_bytes = 100;
  EXPECT_THAT(Tokens("[\"" + std::string(500, 'x') + "\"]", 7, small),
              HasSubstr("more than 64 MiB"));
  EXPECT_EQ(Tokens("[\"" + std::string(50, 'x') + "\"]", 7, small),
            "[ '" + std::string(50, 'x') + "' ] end");
}

TEST(JsonStream, SkipsValuesWhole) {
  const std::string text = "[{\"a\": [1, {\"b\": 2}]}, 5]";
  const std::unique_ptr<ByteSource> source = OpenMemory(text, 3);
  const ReadOptions options;
  JsonStream stream(*source, options);
  ASSERT_EQ(stream.Next(), Token::kBeginArray);
  EXPECT_TRUE(stream.Skip(stream.Next()));
  EXPECT_TRUE(stream.Skip(stream.Next()));
  EXPECT_EQ(stream.text(), "5");
  EXPECT_EQ(stream.Next(), Token::kEndArray);
}

TEST(JsonHead, KnowsKeysOfACutText) {
  const std::string text =
      R"({"$schema": "https://s/x", "n": 5, "profiles": [{"name": "p", "type": "sampled", "samples": [[1], [2]], "in": {"deep": {"er": 1}}}, {"type": "b"}], "shared": {"frames": [{"na)";
  const JsonHead head(text);
  EXPECT_EQ(head.Text("$schema"), "https://s/x");
  EXPECT_EQ(head.Text("profiles.type"), "sampled");
  EXPECT_TRUE(head.Has("n"));
  EXPECT_TRUE(head.Has("profiles.in.deep"));
  EXPECT_FALSE(head.Has("profiles.in.deep.er"));
  EXPECT_TRUE(head.Has("shared.frames"));
  EXPECT_FALSE(head.Has("type"));
  EXPECT_EQ(head.Text("n"), "");
  EXPECT_FALSE(JsonHead("[{\"a\": 1}]").Has("a"));
  EXPECT_FALSE(JsonHead("").Has(""));
}

TEST(JsonStream, ALongWordIsNoCutInPiecesEither) {
  for (const size_t chunk : {size_t{1}, size_t{7}, SIZE_MAX}) {
    const std::unique_ptr<ByteSource> source = OpenMemory("[LLLLLLLLLLLLLLLL]", chunk);
    const ReadOptions options;
    JsonStream json(*source, options);
    EXPECT_EQ(json.Next(), JsonStream::Token::kBeginArray);
    EXPECT_EQ(json.Next(), JsonStream::Token::kBroken);
    EXPECT_FALSE(json.truncated()) << chunk;
  }
}

}  // namespace
}  // namespace telltale
