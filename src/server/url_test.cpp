// SPDX-License-Identifier: Apache-2.0
#include "server/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Url, TakesATargetApart) {
  const auto target = ParseTarget("/api/v1/profiles/k3?view=steps&q=a%2Bb+c&flag&empty=&q=2");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->authority, "");
  EXPECT_EQ(target->path, "/api/v1/profiles/k3");
  EXPECT_EQ(target->raw_query, "view=steps&q=a%2Bb+c&flag&empty=&q=2");
  EXPECT_THAT(target->query, ElementsAre(Pair("view", "steps"), Pair("q", "a+b c"),
                                         Pair("flag", ""), Pair("empty", ""), Pair("q", "2")));
}

TEST(Url, DecodesThePath) {
  const auto target = ParseTarget("/caf%C3%A9/a+b%20c/%25");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/café/a+b c/%");
  EXPECT_EQ(target->raw_path, "/caf%C3%A9/a+b%20c/%25");
}

TEST(Url, TakesTheAbsoluteForm) {
  const auto target = ParseTarget("http://localhost:6006/a?b=c");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->authority, "localhost:6006");
  EXPECT_EQ(target->path, "/a");
  EXPECT_EQ(ParseTarget("https://host")->path, "/");
  EXPECT_EQ(ParseTarget("http://host?x=1")->path, "/");
  EXPECT_FALSE(ParseTarget("http:///path"));
}

TEST(Url, RefusesWhatCouldMeanSomethingElseToOthers) {
  for (const char* target : {
           "",
           "*",
           "a",
           "host:443",
           "/..",
           "/../etc/passwd",
           "/a/../b",
           "/a/..",
           "/.",
           "/a/./b",
           "/%2e%2e/etc/passwd",
           "/%2E%2e",
           "/.%2e/x",
           "/..%2fetc",
           "/a%2fb",
           "/a%2Fb",
           "/a%5cb",
           "/a\\b",
           "/..\\..\\x",
           "/a%00",
           "/a%0d%0aSet-Cookie:x",
           "/a%7f",
           "/a%",
           "/a%1",
           "/a%zz",
           "/%c0%ae%c0%ae/x",  // overlong ".."
           "/%e0%80%af",       // overlong slash
           "/%ff",
           "/%ed%a0%80",  // half a surrogate pair
           "/a b",
           "/a#b",
           "/a\x01",
           "/caf\xc3\xa9",
           "//evil.example/x",
           "/a//b",
           "/a?x=%00",
           "/a?x=%f",
           "/a?%zz=1",
           "/a?x=%ff",
       }) {
    const auto parsed = ParseTarget(target);
    ASSERT_FALSE(parsed) << target;
    EXPECT_EQ(parsed.error(), TargetProblem::kWrong) << target;
  }
  EXPECT_FALSE(ParseTarget(std::string_view("/a\0b", 4)));
}

TEST(Url, KeepsNamesThatOnlyLookOdd) {
  for (const char* target : {"/...", "/..a", "/a..", "/.hidden", "/a/", "/", "/%252e%252e/x"}) {
    EXPECT_TRUE(ParseTarget(target)) << target;
  }
}

TEST(Url, LimitsLengthAndParameters) {
  EXPECT_TRUE(ParseTarget("/" + std::string(kLongestTarget - 1, 'a')));
  const auto longer = ParseTarget("/" + std::string(kLongestTarget, 'a'));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error(), TargetProblem::kTooLong);
  std::string many = "/?";
  for (size_t i = 0; i < kMostParameters; ++i) many += "a&";
  EXPECT_TRUE(ParseTarget(many));
  EXPECT_FALSE(ParseTarget(many + "a"));
}

TEST(Url, EncodesWhatDecodesToTheSame) {
  const std::string text = "/runs/a b+c%&=#?\\\"<é>";
  EXPECT_EQ(PercentEncode("/a b"), "/a%20b");
  EXPECT_EQ(PercentDecode(PercentEncode(text), true), text);
}

TEST(Url, NormalizesThePrefix) {
  EXPECT_EQ(NormalizePrefix(""), "");
  EXPECT_EQ(NormalizePrefix("/"), "");
  EXPECT_EQ(NormalizePrefix("a"), "/a");
  EXPECT_EQ(NormalizePrefix("/a/b/"), "/a/b");
  for (const char* wrong : {"a b", "/a/../b", "/a//b", "/a?b", "/\"", "/a;b", "/a\r\n"}) {
    EXPECT_EQ(NormalizePrefix(wrong), std::nullopt) << wrong;
  }
}

TEST(Url, FindsWhatIsBelowThePrefix) {
  EXPECT_EQ(BelowPrefix("/a", ""), "/a");
  EXPECT_EQ(BelowPrefix("/p/a", "/p"), "/a");
  EXPECT_EQ(BelowPrefix("/p/", "/p"), "/");
  EXPECT_EQ(BelowPrefix("/p", "/p"), "");
  EXPECT_EQ(BelowPrefix("/pa", "/p"), std::nullopt);
  EXPECT_EQ(BelowPrefix("/", "/p"), std::nullopt);
}

TEST(Url, RemovesAParameter) {
  EXPECT_EQ(WithoutParameter("token=x", "token"), "");
  EXPECT_EQ(WithoutParameter("a=1&token=x&b=%20", "token"), "a=1&b=%20");
  EXPECT_EQ(WithoutParameter("to%6ben=x&a", "token"), "a");
  EXPECT_EQ(WithoutParameter("tokens=x&token", "token"), "tokens=x");
}

TEST(Url, ReadsAuthorities) {
  const auto plain = ParseAuthority("LocalHost:6006");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "localhost");
  EXPECT_EQ(plain->port, 6006);
  EXPECT_EQ(ParseAuthority("host")->port, std::nullopt);
  EXPECT_EQ(ParseAuthority("host.")->host, "host");
  EXPECT_EQ(ParseAuthority("host:")->port, std::nullopt);
  EXPECT_EQ(ParseAuthority("[::1]:80")->host, "::1");
  EXPECT_EQ(ParseAuthority("[::1]")->port, std::nullopt);
  for (const char* wrong : {"", ":80", "a:b", "a:80:80", "a:99999", "a:-1", "a@b", "user@host:80",
                            "[::1", "[::1]x", "[]", "a b", "a/b", "::1", "a,b", "a\tb", "[g]"}) {
    EXPECT_FALSE(ParseAuthority(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace telltale
