// SPDX-License-Identifier: Apache-2.0
#include "server/timeline_routes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/timeline_fixture.h"
#include "runs/load.h"
#include "server/largest_answer.h"
#include "server/parameters.h"
#include "server/route.h"

namespace telltale {
namespace {

const FileGate kEverywhere;

using Query = std::vector<std::pair<std::string, std::string>>;

// As api.cpp asks a route.
template <typename Function>
HttpResponse Ask(Function* answer, RouteParams known, const TimelineInput& input, Query query) {
  HttpRequest request;
  request.query = std::move(query);
  const Result<ParamValues> params = ReadParameters(known(), request);
  return params ? answer(input, *params) : ErrorResponse(params.error());
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
  const TimelineInput input{timeline.contexts(), timeline.index(), kEverywhere};

  simdjson::dom::parser parser;
  const simdjson::dom::element layout = Parse(parser, TimelineLayout(input, ParamValues()));
  EXPECT_EQ(std::string_view(layout["origin_ns"]), "1700000000000001000");
  EXPECT_EQ(int64_t(layout["duration_ns"]), 1000);
  EXPECT_TRUE(layout["clock_error_ns"].is_null());
  EXPECT_EQ(layout["categories"].get_array().size(), 15U);
  int64_t memory = -1;
  for (const simdjson::dom::element track : layout["tracks"].get_array()) {
    if (std::string_view(track["kind"]) == "memory") memory = track["id"];
  }
  ASSERT_GE(memory, 0);

  const HttpResponse spans =
      Ask(TimelineSpans, TimelineSpansParams, input,
          {{"start", "0"}, {"end", "1000"}, {"width", "100"}, {"tracks", "0,2"}});
  EXPECT_EQ(spans.content_type, "application/octet-stream");
  EXPECT_EQ(DecodeSpans(*spans.body).size(), 3U);

  const HttpResponse counter =
      Ask(TimelineCounter, TimelineCounterParams, input,
          {{"track", std::to_string(memory)}, {"start", "0"}, {"end", "1000"}, {"width", "9"}});
  const std::vector<DecodedPoint> points = DecodeSeries(*counter.body);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].time_ns, 150.0);
  EXPECT_EQ(points[0].last, 512.0);
}

TEST(TimelineRoutes, NoAnswerIsLargerThanAMegabyte) {
  TraceBuilder builder;
  constexpr int64_t kSpans = 50'000;
  for (int64_t i = 0; i < kSpans; ++i) {
    builder.Operator("an operator with a rather long name, number " + std::to_string(i), i * 10,
                     i * 10 + 9);
    builder.Memory(i * 10, 512);
  }
  TimelineFixture timeline(builder.trace());
  const TimelineInput input{timeline.contexts(), timeline.index(), kEverywhere};
  const std::string end = std::to_string(kSpans * 10);
  std::vector<DecodedBox> boxes;
  for (DecodedPart part; boxes.empty() || boxes.size() < part.total;) {
    const HttpResponse response = Ask(
        TimelineSpans, TimelineSpansParams, input,
        {{"start", "0"}, {"end", end}, {"width", "65536"}, {"skip", std::to_string(boxes.size())}});
    EXPECT_LE(response.body->size(), kLargestAnswer);
    const std::vector<DecodedBox> more = DecodeSpans(*response.body, &part);
    ASSERT_FALSE(more.empty());
    boxes.insert(boxes.end(), more.begin(), more.end());
  }
  EXPECT_EQ(SumOfCounts(boxes), uint64_t{kSpans});
  const std::string memory = std::to_string(timeline.Track(TrackKind::kMemory));
  for (const HttpResponse& response :
       {Ask(TimelineCounter, TimelineCounterParams, input,
            {{"track", memory}, {"start", "0"}, {"end", end}, {"width", "65536"}}),
        Ask(TimelineSearch, TimelineSearchParams, input, {{"q", "operator"}, {"limit", "10000"}}),
        Ask(TimelineSelection, TimelineSelectionParams, input,
            {{"start", "0"}, {"end", end}, {"limit", "10000"}})}) {
    EXPECT_EQ(response.status, 200U);
    EXPECT_LE(response.body->size(), kLargestAnswer);
    EXPECT_GE(response.body->size(), kLargestAnswer / 2);
  }
}

TEST(TimelineRoutes, SaysWhatIsWrong) {
  TraceBuilder builder;
  builder.Operator("aten::add", 0, 100);
  TimelineFixture timeline(builder.trace());
  const TimelineInput input{timeline.contexts(), timeline.index(), kEverywhere};
  const auto status = [&](std::vector<std::pair<std::string, std::string>> query) {
    return Ask(TimelineSpans, TimelineSpansParams, input, std::move(query)).status;
  };
  EXPECT_EQ(status({}), 400U);
  EXPECT_EQ(status({{"start", "5"}, {"end", "5"}}), 400U);
  EXPECT_EQ(status({{"start", "x"}, {"end", "5"}}), 400U);
  EXPECT_EQ(status({{"start", "0"}, {"end", "5"}, {"tracks", "99"}}), 400U);
  EXPECT_EQ(status({{"start", "0"}, {"end", "5"}, {"tracks", "1;2"}}), 400U);
  EXPECT_EQ(status({{"start", "0"}, {"end", "5"}, {"width", "0"}}), 400U);
  EXPECT_EQ(status({{"start", "0"}, {"end", "5"}, {"skip", "-1"}}), 400U);
  EXPECT_EQ(status({{"start", "0.5"}, {"end", "5.5"}, {"width", "10"}}), 200U);
  EXPECT_EQ(status({{"start", "-9223372036854775808"}, {"end", "9223372036854775807"}}), 200U);
  EXPECT_EQ(Ask(TimelineCounter, TimelineCounterParams, input,
                {{"track", "0"}, {"start", "0"}, {"end", "1"}})
                .status,
            404U);
}

TEST(TimelineRoutes, EventReadsItsArgumentsFromTheFile) {
  const std::string path = testing::TempDir() + "timeline_routes_test.json";
  {
    std::ofstream file(path);
    // A bare nan and an unescaped quote, as torch is known to write them.
    file << R"({"traceEvents": [
      {"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 10, "dur": 5, "pid": 1, "tid": 1,
       "args": {"Input Dims": [[2, 3], []], "value": nan, "text": "say "hi"", "External id": 7}}]})";
  }
  const std::vector<std::string> paths = {path};
  const Result<Subject> subject = LoadTraces(paths, {});
  ASSERT_TRUE(subject.has_value());
  std::vector<TraceContext> contexts;
  contexts.push_back(PrepareTrace(*subject->Each<Trace>().at(0), {}));
  const TimelineIndex index(contexts);
  const TimelineInput input{contexts, index, kEverywhere};
  simdjson::dom::parser parser;
  const simdjson::dom::element event =
      Parse(parser, Ask(TimelineEvent, TimelineEventParams, input, {{"file", "0"}, {"row", "0"}}));
  EXPECT_EQ(std::string_view(event["name"]), "aten::add");
  EXPECT_EQ(std::string_view(event["category"]), "operator");
  EXPECT_EQ(int64_t(event["arguments"]["External id"]), 7);
  EXPECT_EQ(int64_t(event.at_pointer("/input_shapes/0/1")), 3);
  EXPECT_TRUE(event["arguments_problem"].is_null());
  EXPECT_EQ(int64_t(event["self_ns"]), 5000);

  std::filesystem::remove(path);
  const simdjson::dom::element gone =
      Parse(parser, Ask(TimelineEvent, TimelineEventParams, input, {{"file", "0"}, {"row", "0"}}));
  EXPECT_TRUE(gone["arguments"].is_null());
  EXPECT_FALSE(std::string_view(gone["arguments_problem"]).empty());
  EXPECT_EQ(int64_t(gone.at_pointer("/input_shapes/0/1")), 3);

  EXPECT_EQ(Ask(TimelineEvent, TimelineEventParams, input, {{"row", "1"}}).status, 404U);
  EXPECT_EQ(Ask(TimelineEvent, TimelineEventParams, input, {{"file", "1"}, {"row", "0"}}).status,
            404U);
  EXPECT_EQ(Ask(TimelineEvent, TimelineEventParams, input, {{"row", "-1"}}).status, 404U);
  EXPECT_EQ(Ask(TimelineEvent, TimelineEventParams, input, {}).status, 400U);
}

TEST(TimelineRoutes, MatchingIsABitForEachEvent) {
  TraceBuilder builder;
  for (int64_t i = 0; i < 20; ++i) {
    builder.Kernel("gemm", i * 10, i * 10 + 5, kNoUint, /*device=*/0, /*stream=*/i % 4);
  }
  TimelineFixture timeline(builder.trace());
  const TimelineInput input{timeline.contexts(), timeline.index(), kEverywhere};
  const HttpResponse all =
      Ask(TimelineMatching, TimelineMatchingParams, input, {{"q", "gemm stream=1"}});
  EXPECT_EQ(all.status, 200U);
  EXPECT_EQ(*all.body, std::string("TTM1\0\0\0\0\x14\0\0\0\x14\0\0\0\x22\x22\x02", 19));
  const HttpResponse rest = Ask(TimelineMatching, TimelineMatchingParams, input,
                                {{"q", "gemm stream=1"}, {"skip", "16"}});
  EXPECT_EQ(*rest.body, std::string("TTM1\x10\0\0\0\x04\0\0\0\x14\0\0\0\x02", 17));
  EXPECT_EQ(
      Ask(TimelineMatching, TimelineMatchingParams, input, {{"q", "gemm"}, {"file", "1"}}).status,
      400U);
  simdjson::dom::parser parser;
  const simdjson::dom::element found = Parse(
      parser, Ask(TimelineSearch, TimelineSearchParams, input, {{"q", "stream=1 colour=red"}}));
  EXPECT_TRUE(bool(found["by_arguments"]));
  EXPECT_EQ(std::string_view(found["not_kept"].at(0)), "colour");
}

TEST(TimelineRoutes, SearchAndSelection) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 1000);
  builder.Operator("aten::add", 100, 300);
  builder.Operator("aten::\"odd\" <b>", 400, 500);
  TimelineFixture timeline(builder.trace());
  const TimelineInput input{timeline.contexts(), timeline.index(), kEverywhere};
  simdjson::dom::parser parser;
  const simdjson::dom::element found = Parse(
      parser, Ask(TimelineSearch, TimelineSearchParams, input, {{"q", "ATEN"}, {"limit", "1"}}));
  EXPECT_EQ(int64_t(found["total"]), 2);
  EXPECT_EQ(found["matches"].get_array().size(), 1U);
  EXPECT_EQ(int64_t(found.at_pointer("/matches/0/depth")), 1);
  EXPECT_EQ(std::string_view(found.at_pointer("/matches/0/name")), "aten::add");
  EXPECT_EQ(Ask(TimelineSearch, TimelineSearchParams, input, {}).status, 400U);
  EXPECT_EQ(Ask(TimelineSearch, TimelineSearchParams, input, {{"q", "arg:kind=4"}}).status, 400U);

  const simdjson::dom::element selected = Parse(
      parser,
      Ask(TimelineSelection, TimelineSelectionParams, input, {{"start", "200"}, {"end", "450"}}));
  // The step, which only frames them, comes last.
  EXPECT_EQ(std::string_view(selected.at_pointer("/names/0/name")), "aten::add");
  EXPECT_EQ(int64_t(selected.at_pointer("/names/0/self_ns")), 100);
  EXPECT_EQ(int64_t(selected.at_pointer("/tracks/0/busy_ns")), 250);
  EXPECT_EQ(selected["tracks"].get_array().size(), 1U);  // steps only if named
  EXPECT_EQ(Ask(TimelineSelection, TimelineSelectionParams, input, {{"start", "1"}}).status, 400U);
}

}  // namespace
}  // namespace telltale
