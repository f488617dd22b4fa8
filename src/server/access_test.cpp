// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kToken = "0123456789abcdefghij";

// 0: may go on.
unsigned StatusOf(const AccessPolicy& policy, const std::string& target, Headers headers) {
  const auto parsed = ParseTarget(target);
  HttpRequest request;
  request.method = "GET";
  request.path = parsed->path;
  request.query = parsed->query;
  request.headers = std::move(headers);
  const std::optional<HttpResponse> response = CheckAccess(policy, request, *parsed);
  return response ? response->status : 0;
}

HttpResponse ResponseOf(const AccessPolicy& policy, const std::string& target, Headers headers) {
  const auto parsed = ParseTarget(target);
  HttpRequest request;
  request.method = "GET";
  request.path = *BelowPrefix(parsed->path, policy.path_prefix);
  request.query = parsed->query;
  request.headers = std::move(headers);
  return CheckAccess(policy, request, *parsed).value_or(HttpResponse{});
}

std::string HeaderOf(const HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "(none)";
}

AccessPolicy BeyondLoopback() {
  AccessPolicy policy;
  policy.bound_hosts = {"trainer"};
  policy.any_address = true;
  policy.token = kToken;
  policy.cookie_name = "telltale_6006";
  return policy;
}

TEST(Access, OnlyLoopbackNamesOnLoopback) {
  for (const char* host : {"localhost", "localhost:6006", "LOCALHOST:1", "127.0.0.1:6006",
                           "127.1.2.3", "[::1]:6006", "localhost."}) {
    EXPECT_EQ(StatusOf({}, "/", {{"host", host}}), 0U) << host;
  }
  for (const char* host :
       {"evil.example", "evil.example:6006", "localhost.evil.example", "127.0.0.1.evil.example",
        "127.0.0.1.nip.io", "10.0.0.1:6006", "0.0.0.0:6006", "[::2]:6006", "[::]", "xlocalhost"}) {
    EXPECT_EQ(StatusOf({}, "/", {{"host", host}}), 403U) << host;
  }
}

TEST(Access, OneWellFormedHostIsNeeded) {
  EXPECT_EQ(StatusOf({}, "/", {}), 400U);
  EXPECT_EQ(StatusOf({}, "/", {{"host", ""}}), 400U);
  EXPECT_EQ(StatusOf({}, "/", {{"host", "localhost, evil.example"}}), 400U);
  EXPECT_EQ(StatusOf({}, "/", {{"host", "localhost"}, {"host", "evil.example"}}), 400U);
}

TEST(Access, AnAbsoluteTargetIsCheckedAsTheHost) {
  EXPECT_EQ(StatusOf({}, "http://localhost:6006/", {{"host", "localhost:6006"}}), 0U);
  EXPECT_EQ(StatusOf({}, "http://evil.example/", {{"host", "localhost"}}), 403U);
  EXPECT_EQ(StatusOf({}, "http://a@localhost/", {{"host", "localhost"}}), 400U);
}

TEST(Access, BeyondLoopbackAddressesAndTheMachinesNameAreValid) {
  AccessPolicy policy = BeyondLoopback();
  policy.token.clear();
  policy.allowed_hosts = {"proxy.example"};
  for (const char* host :
       {"localhost", "10.0.0.1:6006", "[fe80::1]:6006", "Trainer:6006", "proxy.example"}) {
    EXPECT_EQ(StatusOf(policy, "/", {{"host", host}}), 0U) << host;
  }
  EXPECT_EQ(StatusOf(policy, "/", {{"host", "evil.example"}}), 403U);
}

TEST(Access, TheOriginMustBeOurs) {
  const auto status = [](const char* host, const char* origin) {
    return StatusOf({}, "/api/v1/profiles", {{"host", host}, {"origin", origin}});
  };
  EXPECT_EQ(status("localhost:6006", "http://localhost:6006"), 0U);
  EXPECT_EQ(status("LOCALHOST:6006", "http://localhost:6006"), 0U);
  EXPECT_EQ(status("localhost", "http://localhost"), 0U);
  EXPECT_EQ(status("localhost:443", "https://localhost"), 0U);
  for (const char* origin :
       {"http://evil.example", "http://localhost:8888", "http://127.0.0.1:6006", "null", "",
        "http://localhost:6006.evil.example", "file://", "https://localhost", "localhost:6006",
        "http://localhost:6006/path"}) {
    EXPECT_EQ(status("localhost:6006", origin), 403U) << origin;
  }
}

TEST(Access, AProxyThatTheUserAllowedMayChangeTheHost) {
  AccessPolicy policy;
  policy.allowed_hosts = {"notebooks.example"};
  policy.bound_hosts = {"trainer"};
  const Headers asked = {{"host", "localhost:6006"}, {"origin", "https://notebooks.example"}};
  EXPECT_EQ(StatusOf(policy, "/", asked), 0U);
  EXPECT_EQ(StatusOf({}, "/", asked), 403U);
  // Another service of the same machine is not allowed by that.
  EXPECT_EQ(StatusOf(policy, "/", {{"host", "trainer:6006"}, {"origin", "http://trainer:80"}}),
            403U);
}

TEST(Access, OtherSitesMayLinkToThePageButNotUseTheApi) {
  for (const char* site : {"cross-site", "same-site"}) {
    const Headers headers = {{"host", "localhost"}, {"sec-fetch-site", site}};
    EXPECT_EQ(StatusOf({}, "/profile/x", headers), 0U);
    EXPECT_EQ(StatusOf({}, "/api/v1/profiles", headers), 403U);
  }
  for (const char* site : {"same-origin", "none"}) {
    EXPECT_EQ(StatusOf({}, "/api/v1/profiles", {{"host", "localhost"}, {"sec-fetch-site", site}}),
              0U);
  }
}

TEST(Access, WithoutATokenNothingIsShownBeyondLoopback) {
  const AccessPolicy policy = BeyondLoopback();
  const HttpResponse json = ResponseOf(policy, "/api/v1/profiles", {{"host", "10.0.0.1"}});
  EXPECT_EQ(json.status, 401U);
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_EQ(HeaderOf(json, "WWW-Authenticate"), "Bearer");
  const HttpResponse page =
      ResponseOf(policy, "/", {{"host", "10.0.0.1"}, {"accept", "text/html,*/*"}});
  EXPECT_EQ(page.status, 401U);
  EXPECT_THAT(page.content_type, HasSubstr("text/html"));
  EXPECT_THAT(*page.body, HasSubstr("telltale view"));
  EXPECT_THAT(*page.body, Not(HasSubstr(kToken)));
  // Not from the machine itself, either.
  EXPECT_EQ(StatusOf(policy, "/", {{"host", "localhost"}}), 401U);
}

TEST(Access, ATokenIsTradedForACookie) {
  AccessPolicy policy = BeyondLoopback();
  policy.path_prefix = "/p";
  const HttpResponse plain = ResponseOf(
      policy, std::string("/p/a%20b?x=1&token=") + kToken + "&y=", {{"host", "trainer"}});
  EXPECT_EQ(plain.status, 303U);
  EXPECT_EQ(HeaderOf(plain, "Location"), "/p/a%20b?x=1&y=");
  EXPECT_EQ(HeaderOf(plain, "Set-Cookie"),
            std::string("telltale_6006=") + kToken + "; HttpOnly; SameSite=Strict; Path=/p/");
  EXPECT_EQ(HeaderOf(plain, "Cache-Control"), "no-store");
  policy.tls = true;
  EXPECT_THAT(
      HeaderOf(ResponseOf(policy, std::string("/p/?token=") + kToken, {{"host", "trainer"}}),
               "Set-Cookie"),
      HasSubstr("; Secure"));
}

TEST(Access, TheTokenIsTakenFromCookieHeaderOrQuery) {
  const AccessPolicy policy = BeyondLoopback();
  const std::string token = kToken;
  const auto with = [&](const char* name, const std::string& value) {
    return StatusOf(policy, "/api/v1/profiles", {{"host", "trainer"}, {name, value}});
  };
  EXPECT_EQ(with("cookie", "a=b; telltale_6006=" + token + "; c=d"), 0U);
  EXPECT_EQ(with("authorization", "Bearer " + token), 0U);
  EXPECT_EQ(with("authorization", "bearer " + token), 0U);
  EXPECT_EQ(StatusOf(policy, "/api/v1/profiles?token=" + token, {{"host", "trainer"}}), 0U);
  for (const std::string& wrong :
       {token.substr(1), token + "x", std::string(), "x" + token.substr(1)}) {
    EXPECT_EQ(with("cookie", "telltale_6006=" + wrong), 401U) << wrong;
    EXPECT_EQ(with("authorization", "Bearer " + wrong), 401U) << wrong;
    EXPECT_EQ(StatusOf(policy, "/?token=" + wrong, {{"host", "trainer"}}), 401U) << wrong;
  }
  EXPECT_EQ(with("cookie", "telltale_6007=" + token), 401U);
  EXPECT_EQ(with("cookie", "xtelltale_6006=" + token), 401U);
  EXPECT_EQ(with("authorization", "Basic " + token), 401U);
}

TEST(Access, TokensAreLongAndNew) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    const Result<std::string> token = MakeToken();
    ASSERT_TRUE(token);
    EXPECT_EQ(token->size(), 43U);
    EXPECT_TRUE(IsUsableToken(*token));
    tokens.insert(*token);
  }
  EXPECT_EQ(tokens.size(), 100U);
  EXPECT_FALSE(IsUsableToken("short"));
  EXPECT_FALSE(IsUsableToken("0123456789abcdef; Path=/"));
}

TEST(Access, ComparesWholeTexts) {
  EXPECT_TRUE(EqualInConstantTime("", ""));
  EXPECT_TRUE(EqualInConstantTime("abc", "abc"));
  EXPECT_FALSE(EqualInConstantTime("abc", "abd"));
  EXPECT_FALSE(EqualInConstantTime("bbc", "abc"));
  EXPECT_FALSE(EqualInConstantTime("abc", "ab"));
}

TEST(Access, ThePolicyAllowsNoInlineCode) {
  const std::string_view policy = SecurityHeaders()[0].second;
  EXPECT_EQ(SecurityHeaders()[0].first, "Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("*")));
}

}  // namespace
}  // namespace telltale
