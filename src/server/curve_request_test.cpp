// SPDX-License-Identifier: Apache-2.0
#include "server/curve_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace telltale {
namespace {

using testing::HasSubstr;

std::string Problem(std::string_view body) {
  const Result<CurveRequest> request = ReadCurveRequest(body);
  return request ? "fine" : request.error().message;
}

TEST(CurveRequest, SaysWhatIsWrong) {
  EXPECT_THAT(Problem("[]"), HasSubstr("expected a body"));
  EXPECT_THAT(Problem("{"), testing::Not("fine"));
  EXPECT_THAT(Problem(R"({"chart": []})"), HasSubstr("no member"));
  EXPECT_THAT(Problem(R"({"charts": 1})"), HasSubstr("charts takes"));
  EXPECT_THAT(Problem(R"({"charts": [{"tag": 1, "runs": []}]})"), HasSubstr("a chart is"));
  EXPECT_THAT(Problem(R"({"charts": [], "x": "tag:"})"), HasSubstr("x takes"));
  EXPECT_THAT(Problem(R"({"charts": [], "from": "a"})"), HasSubstr("from takes"));
  EXPECT_THAT(Problem(R"({"charts": [], "smoothing": 1})"), HasSubstr("below 1"));
  EXPECT_THAT(Problem(R"({"charts": [], "width": 0})"), HasSubstr("at least 1"));
  EXPECT_THAT(Problem(R"({"charts": [], "group": {"by": "lr"}})"), HasSubstr("group takes"));
  EXPECT_EQ(Problem(R"({"charts": [], "group": {"by": "config.lr", "band": "deviation"}})"),
            "fine");
}

TEST(CurveRequest, ReadsWhatIsAskedFor) {
  const Result<CurveRequest> request = ReadCurveRequest(
      R"({"x": "tag:epoch", "from": 1, "to": null, "width": 1e9, "hide_overwritten": false,
          "charts": [{"tag": "loss", "runs": ["a", "b"]}]})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->axis, CurveAxis::kTag);
  EXPECT_EQ(request->axis_tag, "epoch");
  EXPECT_EQ(request->from, 1);
  EXPECT_FALSE(request->to);
  EXPECT_LE(request->width, 20'000U);
  EXPECT_FALSE(request->hide_overwritten);
  ASSERT_EQ(request->charts.size(), 1U);
  EXPECT_EQ(request->charts[0].runs.size(), 2U);
}

TEST(CurveBytes, HeadsComeFirstAndColumnsBehindThem) {
  CurveLine line;
  line.chart = 1;
  line.run = 2;
  line.total = 7;
  line.reduced = true;
  line.has_band = true;
  line.x = line.y = line.smoothed = line.wall = line.step = line.low = {1.5};
  line.high = {2.5};
  const std::string bytes = CurveBytes({line});
  ASSERT_EQ(bytes.size(), 8U + 24U + 7 * 8U);
  EXPECT_EQ(bytes.substr(0, 4), "TTP1");
  uint32_t head[6];
  std::memcpy(head, bytes.data() + 8, sizeof(head));
  EXPECT_EQ(head[0], 1U);
  EXPECT_EQ(head[1], 2U);
  EXPECT_EQ(head[2], 1U);
  EXPECT_EQ(head[3], 7U);
  EXPECT_EQ(head[4], 3U);
  double high = 0;
  std::memcpy(&high, bytes.data() + bytes.size() - 8, 8);
  EXPECT_EQ(high, 2.5);
}

}  // namespace
}  // namespace telltale
