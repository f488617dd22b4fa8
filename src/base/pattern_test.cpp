// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.h"

#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace telltale {
namespace {

bool Found(std::string_view pattern, std::string_view text) {
  Result<Pattern> compiled = Pattern::Compile(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << compiled.error().message;
  return compiled && compiled->Matches(text);
}

TEST(Pattern, FindsWhatItDescribes) {
  EXPECT_TRUE(Found("", "anything"));
  EXPECT_TRUE(Found("b", "abc"));
  EXPECT_FALSE(Found("^b", "abc"));
  EXPECT_FALSE(Found("b$", "abc"));
  EXPECT_TRUE(Found("^$", ""));
  EXPECT_FALSE(Found("^$", "a"));
  EXPECT_TRUE(Found("^(a|bc|)d", "d"));
  EXPECT_TRUE(Found("x{2,3}y", "axxy"));
  EXPECT_FALSE(Found("^x{2,3}y", "xxxxy"));
  EXPECT_TRUE(Found("x{2,}$", "xxxx"));
  EXPECT_TRUE(Found("a{,2}", "a{,2}")) << "no repetition: text";
  EXPECT_TRUE(Found("[^a-c]", "abcd"));
  EXPECT_FALSE(Found("[^a-c]", "abc"));
  EXPECT_TRUE(Found("[]a]", "]"));
  EXPECT_TRUE(Found("[a\\]-]", "-"));
  EXPECT_TRUE(Found("\\d+\\s\\w", "12 x"));
  EXPECT_FALSE(Found("\\D", "12"));
  EXPECT_TRUE(Found("a.*?c", "abbbc"));
  EXPECT_FALSE(Found("a.c", "a\nc"));
  EXPECT_TRUE(Found("(?i)GEMM", "sgemm"));
  EXPECT_TRUE(Found("(?i)[a-f]x", "FX"));
  EXPECT_TRUE(Found("^.{3}$", "aµ…"));
  EXPECT_TRUE(Found("^[à-ü]$", "é"));
  EXPECT_TRUE(Found("^.$", "\xff")) << "a byte that is not UTF-8 is a character of its own";
  EXPECT_TRUE(Found("aten::(mm|bmm|addmm)$", "aten::addmm"));
}

TEST(Pattern, SaysWhatIsWrong) {
  for (const char* wrong : {"(a", "a)", "[a", "*a", "a|*", "\\", "\\q", "a{2,1}", "a{1001}",
                            "[z-a]", "(?=a)", "(((a{1000}){1000}){1000})"}) {
    EXPECT_FALSE(Pattern::Compile(wrong)) << wrong;
  }
  EXPECT_FALSE(Pattern::Compile(std::string(1000, '(') + std::string(1000, ')')));
  EXPECT_EQ(Pattern::Compile("abc(").error().offset, 4U);
}

// Patterns that make a backtracking engine take for ever: here each is one pass over the text.
TEST(Pattern, NeverBacktracks) {
  const std::string text(200000, 'a');
  EXPECT_FALSE(Found("(a*)*b", text));
  EXPECT_FALSE(Found("(a|a)*b", text));
  EXPECT_FALSE(Found("(a|aa)+$b", text));
  EXPECT_FALSE(Found("(.*)(.*)(.*)(.*)(.*)x", text));
  // Each prefix of the text is another state.
  std::string coin;
  uint32_t random = 1;
  for (int i = 0; i < 20000; ++i)
    coin += ((random = random * 1664525 + 1013904223) >> 31) ? 'a' : 'b';
  EXPECT_FALSE(Found("a.{20}c", coin));
}

// std::regex as second opinion, on short texts of few letters.
TEST(Pattern, AgreesWithAnotherEngine) {
  uint32_t random = 42;
  const auto next = [&](uint32_t below) {
    random = random * 1664525 + 1013904223;
    return (random >> 16) % below;
  };
  const std::vector<std::string> atoms = {"a",    "b",      "c",      ".",   "[ab]",
                                          "[^a]", "(ab|c)", "(a|b|)", "(b*)"};
  const std::vector<std::string> repeats = {"", "", "", "*", "+", "?", "{2}", "{1,2}", "{2,}"};
  for (int i = 0; i < 2000; ++i) {
    std::string pattern = next(4) == 0 ? "^" : "";
    for (uint32_t part = 0; part <= next(4); ++part) {
      if (part > 0 && next(5) == 0) pattern += "|";
      if (next(6) == 0) pattern += next(2) == 0 ? "\\b" : "\\B";
      pattern += atoms[next(static_cast<uint32_t>(atoms.size()))] +
                 repeats[next(static_cast<uint32_t>(repeats.size()))];
    }
    if (next(8) == 0) pattern += "\\b";
    if (next(4) == 0) pattern += "$";
    Result<Pattern> ours = Pattern::Compile(pattern);
    ASSERT_TRUE(ours) << pattern;
    const std::regex theirs(pattern);
    for (int t = 0; t < 10; ++t) {
      std::string text;
      for (uint32_t c = next(8); c > 0; --c) text += "abc-"[next(4)];
      EXPECT_EQ(ours->Matches(text), std::regex_search(text, theirs)) << pattern << " in " << text;
    }
  }
}

}  // namespace
}  // namespace telltale
