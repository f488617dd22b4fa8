// SPDX-License-Identifier: Apache-2.0
#include "server/timeline_routes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/timeline_fixture.h"

namespace telltale {
namespace {

HttpRequest Request(std::vector<std::pair<std::string, std::string>> query) {
  HttpRequest request;
  request.method = "GET";
  request.query = std::move(query);
  return request;
}

simdjson::dom::element Parse(simdjson::dom::parser& parser, const HttpResponse& response) {
  EXPECT_EQ(response.status, 200U) << *response.body;
  return parser.parse(simdjson::padded_string(*response.body));
}

TEST(TimelineRoutes, LayoutSpansAndCounter) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 1000, 2000);
  builder.Operator("aten::add", 1100, 1300);
  builder.Memory(1150, 512);
  builder.trace().base_time_ns = 1'700'000'000'000'000'000;
  TimelineFixture timeline(builder.trace());
  const TimelineInput input{timeline.contexts(), timeline.index()};

  simdjson::dom::parser parser;
  const simdjson::dom::element layout = Parse(parser, TimelineLayout(input, Request({})));
  EXPECT_EQ(std::string_view(layout["origin_ns"]), "1700000000000001000");
  EXPECT_EQ(int64_t(layout["duration_ns"]), 1000);
  EXPECT_TRUE(layout["clock_error_ns"].is_null());
  EXPECT_EQ(layout["categories"].get_array().size(), 15U);
  int64_t memory = -1;
  for (const simdjson::dom::element track : layout["tracks"].get_array()) {
    if (std::string_view(track["kind"]) == "memory") memory = track["id"];
  }
  ASSERT_GE(memory, 0);

  const HttpResponse spans = TimelineSpans(
      input, Request({{"start", "0"}, {"end", "1000"}, {"width", "100"}, {"tracks", "0,2"}}));
  EXPECT_EQ(spans.content_type, "application/octet-stream");
  EXPECT_EQ(DecodeSpans(*spans.body).size(), 3U);

  const HttpResponse counter = TimelineCounter(
      input,
      Request(
          {{"track", std::to_string(memory)}, {"start", "0"}, {"end", "1000"}, {"width", "9"}}));
  const std::vector<DecodedPoint> points = DecodeSeries(*counter.body);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].time_ns, 150.0);
  EXPECT_EQ(points[0].last, 512.0);
}

TEST(TimelineRoutes, SaysWhatIsWrong) {
  TraceBuilder builder;
  builder.Operator("aten::add", 0, 100);
  TimelineFixture timeline(builder.trace());
  const TimelineInput input{timeline.contexts(), timeline.index()};
  const auto status = [&](std::vector<std::pair<std::string, std::string>> query) {
    return TimelineSpans(input, Request(std::move(query))).status;
  };
  EXPECT_EQ(status({}), 400U);
  EXPECT_EQ(status({{"start", "5"}, {"end", "5"}}), 400U);
  EXPECT_EQ(status({{"start", "x"}, {"end", "5"}}), 400U);
  EXPECT_EQ(status({{"start", "0"}, {"end", "5"}, {"tracks", "99"}}), 400U);
  EXPECT_EQ(status({{"start", "0"}, {"end", "5"}, {"tracks", "1;2"}}), 400U);
  EXPECT_EQ(status({{"start", "0"}, {"end", "5"}, {"width", "0"}}), 400U);
  EXPECT_EQ(status({{"start", "0.5"}, {"end", "5.5"}, {"width", "10"}}), 200U);
  EXPECT_EQ(status({{"start", "-9223372036854775808"}, {"end", "9223372036854775807"}}), 200U);
  EXPECT_EQ(TimelineCounter(input, Request({{"track", "0"}, {"start", "0"}, {"end", "1"}})).status,
            404U);
}

}  // namespace
}  // namespace telltale
