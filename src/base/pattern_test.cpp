// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.h"

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace telltale {
namespace {

bool Found(std::string_view pattern, std::string_view text) {
  Result<Pattern> compiled = Pattern::Compile(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << compiled.error().message;
  return compiled && compiled->Matches(text);
}

std::string CoinTosses(size_t count) {
  std::string out;
  uint32_t random = 1;
  while (out.size() < count)
    out += ((random = random * 1664525 + 1013904223) >> 31U) != 0 ? 'a' : 'b';
  return out;
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
  for (const char* wrong :
       {"(a", "a)", "[a", "*a", "a|*", "\\", "\\q", "a{2,1}", "a{1001}", "[z-a]", "(?=a)",
        "(((a{1000}){1000}){1000})", "((a{100}){100}){100}", "a\xff"}) {
    EXPECT_FALSE(Pattern::Compile(wrong)) << wrong;
  }
  EXPECT_FALSE(Pattern::Compile("[" + std::string(20'000, 'a') + "]"));
  EXPECT_FALSE(Pattern::Compile("(" + std::string(9000, '.') + "){1000}"));
}

TEST(Pattern, SaysWhereItIsWrong) {
  const std::vector<std::pair<std::string, size_t>> wrong = {
      {"abc(", 4},  {"abc(de|f", 8}, {"ab)c)", 2},    {"ab[c-", 5},        {"a\\qb\\q", 2},
      {"b|*c", 2},  {"x[z-a]", 2},   {"ab\\", 2},     {"aé(?=b)", 3},      {"a{3}b{2,1}c", 5},
      {"[\\q]", 2}, {"a+*b", 1},     {"[[:no:]]", 1}, {"(a{100}){100}", 8}};
  for (const auto& [pattern, offset] : wrong) {
    const Result<Pattern> compiled = Pattern::Compile(pattern);
    ASSERT_FALSE(compiled) << pattern;
    EXPECT_EQ(compiled.error().offset, offset) << pattern << ": " << compiled.error().message;
  }
}

TEST(Pattern, NestsAsDeeplyAsAPatternIsLong) {
  EXPECT_TRUE(Found(std::string(4000, '(') + "a" + std::string(4000, ')'), "bab"));
}

// Patterns that make a backtracking engine take for ever: here each is one pass over the text.
TEST(Pattern, NeverBacktracks) {
  const std::string text(200000, 'a');
  EXPECT_FALSE(Found("(a*)*b", text));
  EXPECT_FALSE(Found("(a|a)*b", text));
  EXPECT_FALSE(Found("(a|aa)+$b", text));
  EXPECT_FALSE(Found("(.*)(.*)(.*)(.*)(.*)x", text));
  // Each prefix of the text is another state.
  EXPECT_FALSE(Found("a.{20}c", CoinTosses(20'000)));
}

TEST(Pattern, UsualOnesNeedNoWorkWhateverTheText) {
  for (const char* const usual :
       {"aten::(mm|bmm|addmm)$", "(?i)gemm.*(fp16|half)", "\\bnccl\\w*_(ring|tree)\\b", "a{20}b"}) {
    Result<Pattern> pattern = Pattern::Compile(usual);
    ASSERT_TRUE(pattern);
    std::string text = CoinTosses(100'000);
    for (int i = 0; i < 20'000; ++i) text += " nccl_" + std::to_string(i) + "::Gemm_fp32";
    EXPECT_FALSE(pattern->Matches(text)) << usual;
    EXPECT_EQ(pattern->work(), 0U) << usual << " in " << text.size() << " bytes";
    EXPECT_FALSE(pattern->gave_up());
  }
  // The name of a kernel may be this long.
  std::string name = "void at::native::elementwise_kernel<";
  while (name.size() < 8000) name += std::to_string(name.size()) + "u, at::detail::Array<char, ";
  Result<Pattern> literal = Pattern::Compile(name + "$");
  ASSERT_TRUE(literal);
  EXPECT_TRUE(literal->Matches(name + name + name));
  EXPECT_FALSE(literal->Matches(name + name + "x"));
  EXPECT_EQ(literal->work(), 0U);
}

TEST(Pattern, GivesUpWhereTheWorkIsTooMuch) {
  // Other states with every character.
  Result<Pattern> pattern = Pattern::Compile("(a|b)*a(a|b){1000}c");
  ASSERT_TRUE(pattern);
  EXPECT_FALSE(pattern->Matches(CoinTosses(1'000'000)));
  EXPECT_TRUE(pattern->gave_up());
  EXPECT_LT(pattern->work(), Pattern::kMostWork);
  EXPECT_FALSE(pattern->Matches(std::string(2000, 'a') + "c")) << "nothing is said any more";
  EXPECT_TRUE(pattern->gave_up());
  pattern->AllowWork(Pattern::kMostWork);
  EXPECT_TRUE(pattern->Matches(std::string(2000, 'a') + "c"));
  EXPECT_FALSE(pattern->gave_up());
}

TEST(Pattern, WorkAddsUpOverTexts) {
  Result<Pattern> pattern = Pattern::Compile("(a|b)*a(a|b){1000}c");
  ASSERT_TRUE(pattern);
  const std::string text = CoinTosses(5000);
  EXPECT_FALSE(pattern->Matches(text));
  const uint64_t once = pattern->work();
  EXPECT_GT(once, 1000 * text.size());
  EXPECT_FALSE(pattern->gave_up());
  Pattern copy = *pattern;
  copy.AllowWork(3 * once);
  int texts = 0;
  for (; texts < 10 && !copy.gave_up(); ++texts) EXPECT_FALSE(copy.Matches(text));
  EXPECT_EQ(texts, 4);
  EXPECT_EQ(pattern->work(), once) << "a copy counts for itself";
}

TEST(Pattern, WithoutTheAutomatonTheAnswerIsTheSame) {
  Result<Pattern> pattern = Pattern::Compile("a.{200}c");
  ASSERT_TRUE(pattern);
  std::string text = CoinTosses(20'000);
  EXPECT_FALSE(pattern->Matches(text));
  EXPECT_GT(pattern->work(), 0U);
  text[19'799] = 'a';
  text += "c";
  EXPECT_TRUE(pattern->Matches(text));
  text[19'799] = 'b';
  EXPECT_FALSE(pattern->Matches(text));
  EXPECT_FALSE(pattern->gave_up());
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
