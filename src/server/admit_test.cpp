// SPDX-License-Identifier: Apache-2.0
#include "server/admit.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace telltale {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

HttpRequest Request(std::string method = "GET") {
  HttpRequest request;
  request.method = std::move(method);
  request.headers = {{"host", "localhost"}};
  return request;
}

// 0: a handler is asked.
unsigned StatusOf(std::string_view target, HttpRequest request, std::string prefix = "") {
  AccessPolicy policy;
  policy.path_prefix = std::move(prefix);
  const std::optional<HttpResponse> response = Admit(policy, target, request);
  return response ? response->status : 0;
}

TEST(Admit, FillsInPathAndParameters) {
  HttpRequest request = Request();
  AccessPolicy policy;
  policy.path_prefix = "/tt";
  EXPECT_FALSE(Admit(policy, "/tt/a%20b?x=1&token=secret&y=%3C", request).has_value());
  EXPECT_EQ(request.path, "/a b");
  EXPECT_EQ(request.query, (Parameters{{"x", "1"}, {"y", "<"}})) << "no handler sees a token";
}

TEST(Admit, RefusesWhatNoHandlerIsFor) {
  EXPECT_EQ(StatusOf("/", Request()), 0U);
  EXPECT_EQ(StatusOf("/", Request("POST")), 0U);
  EXPECT_EQ(StatusOf("/", Request("DELETE")), 405U);
  EXPECT_EQ(StatusOf("no path", Request()), 400U);
  EXPECT_EQ(StatusOf("/" + std::string(100'000, 'x'), Request()), 414U);
  EXPECT_EQ(StatusOf("/elsewhere", Request(), "/tt"), 404U);
  EXPECT_EQ(StatusOf("/tt", Request(), "/tt"), 308U);
  HttpRequest foreign = Request();
  foreign.headers = {{"host", "evil.example"}};
  EXPECT_EQ(StatusOf("/", foreign), 403U);
}

}  // namespace
}  // namespace telltale
