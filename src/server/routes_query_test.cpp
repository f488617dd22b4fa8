// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "server/test_api.h"

namespace telltale {
namespace {

using testing::HasSubstr;

TEST_F(ApiTest, AnswersSql) {
  folder_.Write("a.json", SmallTrace(4));
  Start();
  const std::string query = "/profiles/" + Load("/a") + "/query";
  const auto ask = [&](const std::string& body) { return Get(query, "POST", body); };
  const HttpResponse good =
      ask(R"({"sql": "SELECT name, duration_ns FROM kernels ORDER BY 2", "limit": 3})");
  ASSERT_EQ(good.status, 200U) << *good.body;
  const Json rows(*good.body);
  EXPECT_EQ(rows.Text("/columns/0"), "name");
  EXPECT_EQ(rows.Size("/rows"), 3U);
  EXPECT_EQ(rows.Text("/rows/0/0"), "gemm");
  EXPECT_EQ(rows.Int("/rows/0/1"), 300000);
  EXPECT_TRUE(bool(rows.At("/truncated")));

  const HttpResponse wrong = ask(R"({"sql": "SELECT nam FROM kernels"})");
  EXPECT_EQ(wrong.status, 400U);
  const Json error(*wrong.body);
  EXPECT_EQ(error.Text("/error/code"), "wrong_sql");
  EXPECT_THAT(error.Text("/error/message"), HasSubstr("did you mean 'name'"));
  EXPECT_THAT(error.Text("/error/message"), HasSubstr("\nGET /api/v1/schema lists the columns"));
  EXPECT_EQ(error.Int("/error/offset"), 7);
  for (const std::string_view body :
       {"", "SELECT 1", "{", R"({"sql": 3})", R"({"sql": "SELECT 1", "limit": 0})",
        R"({"sql": "DROP TABLE x"})", R"({"sql": "SELECT 1; SELECT 2"})", R"({"other": 1})"}) {
    EXPECT_EQ(ask(std::string(body)).status, 400U) << body;
  }
  EXPECT_GT(Good("/schema").Size(""), 3U);
}

TEST_F(ApiTest, StopsARunawayQueryAtItsRows) {
  folder_.Write("a.json", SmallTrace(1));
  Start();
  const HttpResponse endless = Get(
      "/profiles/" + Load("/a") + "/query", "POST",
      R"({"sql": "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t"})");
  EXPECT_EQ(endless.status, 200U);
  EXPECT_TRUE(bool(Json(*endless.body).At("/truncated")));
}

TEST_F(ApiTest, SqlEndsWhenItsClientLeaves) {
  folder_.Write("a.json", SmallTrace(1));
  Start();
  HttpRequest request = RequestFor(
      "/profiles/" + Load("/a") + "/query", "POST",
      R"({"sql": "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT sum(x) FROM t"})");
  request.abandoned = std::make_shared<const std::atomic<bool>>(true);
  const HttpResponse left = handler_(request);
  EXPECT_EQ(left.status, 503U);
  EXPECT_EQ(Json(*left.body).Text("/error/code"), "canceled");
}

TEST_F(ApiTest, ARowThatDoesNotFitIsNoAnswer) {
  folder_.Write("a.json", SmallTrace(1));
  Start();
  const std::string query = "/profiles/" + Load("/a") + "/query";
  std::string columns = "printf('%.*c', 999000, char(1))";  // six bytes each in JSON
  for (int i = 1; i < 6; ++i) columns += ", printf('%.*c', 999000, char(1))";
  const HttpResponse response = Get(query, "POST", R"({"sql": "SELECT )" + columns + R"("})");
  EXPECT_EQ(response.status, 503U);
  EXPECT_EQ(Json(*response.body).Text("/error/code"), "too_large");
  const HttpResponse rows =
      Get(query, "POST",
          R"({"sql": "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 9) )"
          R"(SELECT printf('%.*c', 999000, char(1)) FROM t"})");
  EXPECT_EQ(rows.status, 200U);
  EXPECT_TRUE(bool(Json(*rows.body).At("/truncated")));
  EXPECT_EQ(Json(*rows.body).Size("/rows"), 5U);
  EXPECT_LT(rows.body->size(), size_t{33} << 20U);
}

}  // namespace
}  // namespace telltale
