// SPDX-License-Identifier: Apache-2.0
// From JSON to Perfetto and back nothing may be lost: the events that come back are compared, to
// the byte, with those of a JSON file rewritten directly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/conversion_fixture.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string Document(const std::string& events, const std::string& head = "") {
  return "{" + head + "\"traceEvents\": [" + events + "]}";
}

void ExpectRoundTrip(const std::string& json) {
  const std::string direct = Converted(json, false);
  const std::string packed = Converted(json, true);
  ASSERT_TRUE(IsPerfettoTrace(packed));
  EXPECT_EQ(EventLines(Converted(packed, false)), EventLines(direct));
  // From Perfetto to Perfetto as well.
  EXPECT_EQ(EventLines(Converted(Converted(packed, true), false)), EventLines(direct));
}

TEST(PerfettoRoundTrip, KeepsSlicesWithAllTheirArguments) {
  ExpectRoundTrip(Document(
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":8,"ts":10.125,"dur":5.5,
          "args":{"External id":3,"Input Dims":[[2,3],[],[4]],"big":18446744073709551615,
                  "bigger":123456789012345678901234567890,"negative":-9223372036854775808,
                  "half":0.5,"whole":2.0,"tiny":1e-300,"none":null,"yes":true,"no":false,
                  "text":"a \"quoted\" \\ line\nnext","empty":"","list":[],"object":{},
                  "nested":{"a":[1,{"b":[null,"x"]}],"":3}}})"));
}

TEST(PerfettoRoundTrip, KeepsSlicesThatOverlapOnlyPartly) {
  ExpectRoundTrip(Document(
      R"({"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":0,"dur":10},
         {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":5,"dur":10},
         {"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":8,"dur":10},
         {"ph":"X","cat":"kernel","name":"d","pid":0,"tid":7,"ts":10,"dur":1})"));
}

TEST(PerfettoRoundTrip, KeepsSlicesThatTouchAndSlicesWithoutLength) {
  ExpectRoundTrip(Document(
      R"({"ph":"X","cat":"cpu_op","name":"second","pid":7,"tid":8,"ts":10,"dur":10},
         {"ph":"X","cat":"cpu_op","name":"first","pid":7,"tid":8,"ts":0,"dur":10},
         {"ph":"X","cat":"cpu_op","name":"nothing","pid":7,"tid":8,"ts":10,"dur":0},
         {"ph":"X","cat":"cpu_op","name":"nothing at the end","pid":7,"tid":8,"ts":20,"dur":0})"));
}

TEST(PerfettoRoundTrip, KeepsParentsThatComeAfterTheirChildren) {
  ExpectRoundTrip(Document(
      R"({"ph":"X","cat":"cpu_op","name":"innermost","pid":7,"tid":8,"ts":10,"dur":1},
         {"ph":"X","cat":"cpu_op","name":"inner","pid":7,"tid":8,"ts":10,"dur":5},
         {"ph":"X","cat":"cpu_op","name":"other","pid":7,"tid":8,"ts":30,"dur":5},
         {"ph":"X","cat":"cpu_op","name":"outer","pid":7,"tid":8,"ts":10,"dur":10})"));
}

TEST(PerfettoRoundTrip, KeepsFlowsOfEveryKind) {
  ExpectRoundTrip(Document(
      R"({"ph":"X","cat":"cuda_runtime","name":"launch","pid":7,"tid":8,"ts":10,"dur":5},
         {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5},
         {"ph":"s","cat":"ac2g","name":"ac2g","id":3,"pid":7,"tid":8,"ts":10},
         {"ph":"f","cat":"ac2g","name":"ac2g","id":3,"pid":0,"tid":7,"ts":20,"bp":"e"},
         {"ph":"s","cat":"path","name":"path","id":4,"pid":7,"tid":8,"ts":10,"args":{"weight":1}},
         {"ph":"f","cat":"path","name":"path","id":4,"pid":0,"tid":7,"ts":20},
         {"ph":"t","cat":"ac2g","name":"ac2g","id":3,"pid":0,"tid":7,"ts":20},
         {"ph":"s","cat":"async","name":"launch","id":"0x5","pid":7,"tid":8,"ts":10},
         {"ph":"s","cat":"async","name":"elsewhere","id":9,"pid":7,"tid":8,"ts":11})"));
}

TEST(PerfettoRoundTrip, KeepsInstantsCountersAndAsynchronousEvents) {
  ExpectRoundTrip(Document(
      R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":7,"tid":8,"ts":1.001,"s":"t",
          "args":{"Bytes":-512,"Addr":140000000000000,"Device Type":1}},
         {"ph":"i","name":"window","pid":"Traces","tid":"Trace","ts":2,"s":"g"},
         {"ph":"i","name":"no scope","pid":7,"tid":8,"ts":3},
         {"ph":"C","name":"GPU 0 Utilization","pid":0,"ts":4,"args":{"GPU Utilization":1}},
         {"ph":"C","name":"power","pid":0,"tid":1,"cat":"hardware_counters","ts":4,"args":{"W":1.5}},
         {"ph":"C","name":"words","pid":0,"tid":1,"ts":4,"args":{"W":1.5,"state":"on"}},
         {"ph":"b","name":"range","cat":"x","id":17,"pid":7,"tid":8,"ts":5},
         {"ph":"e","name":"range","cat":"x","id":"text","pid":7,"tid":8,"ts":6,"args":{"k":1}})"));
}

TEST(PerfettoRoundTrip, KeepsUnknownFieldsPhasesAndOddValues) {
  ExpectRoundTrip(Document(
      R"({"ph":"X","name":5,"pid":7,"tid":8,"ts":1,"dur":1,"cname":"good","tts":17},
         {"ph":"X","name":"odd","pid":7,"tid":8,"ts":3,"dur":1,"args":[1,2]},
         {"ph":"P","name":"sample","pid":7,"tid":8,"ts":4,"sf":3},
         {"ph":"X","cat":"","name":"","pid":"","tid":"","ts":5,"dur":1})"));
}

TEST(PerfettoRoundTrip, KeepsNegativeAndAbsoluteTimes) {
  ExpectRoundTrip(Document(
      R"({"ph":"X","name":"a","pid":7,"tid":8,"ts":-5.001,"dur":3},
         {"ph":"X","name":"b","pid":7,"tid":8,"ts":1623143089861000.123,"dur":3})"));
  ExpectRoundTrip(Document(R"({"ph":"X","name":"a","pid":7,"tid":8,"ts":5.001,"dur":3})",
                           "\"baseTimeNanoseconds\": 1790000000000000000,"));
}

TEST(PerfettoRoundTrip, KeepsTopLevelValues) {
  const std::string json = Document(
      R"({"ph":"X","name":"a","pid":7,"tid":8,"ts":5,"dur":3})",
      R"("schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A100", "numSms": 108}],
         "distributedInfo": {"rank": 3, "world_size": 8}, "text": "1", "none": null,
         "baseTimeNanoseconds": 1700000000000000000, "with_stack": 1,)");
  const std::string back = Converted(Converted(json, true), false);
  const std::string direct = Converted(json, false);
  EXPECT_EQ(back.substr(0, back.find("traceEvents")), direct.substr(0, direct.find("traceEvents")));
  EXPECT_THAT(back, HasSubstr(R"("distributedInfo": {"rank": 3, "world_size": 8})"));
  const Result<Trace> trace = ReadAnyTrace(Converted(json, true));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->distributed.rank, 3);
  EXPECT_EQ(trace->base_time_ns, 1700000000000000000);
  ASSERT_EQ(trace->devices.size(), 1U);
  EXPECT_EQ(trace->devices[0].multiprocessors, 108);
}

TEST(PerfettoRoundTrip, KeepsNamesAndOrderOfTracks) {
  const std::string json = Document(
      R"({"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"python"}},
         {"ph":"M","name":"process_labels","pid":0,"args":{"labels":"GPU 0"}},
         {"ph":"M","name":"process_sort_index","pid":0,"tid":0,"args":{"sort_index":5000000000}},
         {"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"main \"thread\""}},
         {"ph":"M","name":"thread_sort_index","pid":0,"tid":"stream 7","args":{"sort_index":7}},
         {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":"stream 7","ts":5,"dur":3},
         {"ph":"X","cat":"cpu_op","name":"a","pid":7,"tid":8,"ts":5,"dur":3})");
  const Result<Trace> trace = ReadAnyTrace(Converted(json, true));
  ASSERT_TRUE(trace);
  for (const Track& track : trace->tracks) {
    const Process& process = trace->processes[track.process];
    if (process.pid.number == 7 && track.tid.number == 8) {
      EXPECT_EQ(trace->Text(process.name), "python");
      EXPECT_EQ(trace->Text(track.thread_name), "main \"thread\"");
    }
    if (trace->Text(track.tid.text) == "stream 7") {
      EXPECT_EQ(process.pid.number, 0);
      EXPECT_EQ(trace->Text(process.labels), "GPU 0");
      EXPECT_EQ(process.sort_index, 5000000000);
      EXPECT_EQ(track.thread_sort_index, 7);
    }
  }
}

TEST(PerfettoRoundTrip, WritesPairsOfBeginAndEndAsWholeEvents) {
  const std::string json = Document(
      R"({"ph":"B","name":"a","pid":7,"tid":8,"ts":1,"args":{"k":1}},
         {"ph":"E","name":"a","pid":7,"tid":8,"ts":4},
         {"ph":"B","name":"never ends","pid":7,"tid":8,"ts":5})");
  const std::vector<std::string> wanted = {
      R"({"ph":"B","name":"never ends","pid":7,"tid":8,"ts":5.000})",
      R"({"ph":"X","name":"a","pid":7,"tid":8,"ts":1.000,"dur":3.000,"args":{"k":1}})"};
  EXPECT_EQ(EventLines(Converted(json, false)), wanted);
  EXPECT_EQ(EventLines(Converted(Converted(json, true), false)), wanted);
}

TEST(KinetoJsonWriter, RepairsDamagedText) {
  const std::string json =
      "{\"traceEvents\": [{\"ph\":\"X\",\"name\":\"a \"b\" "
      "c\",\"pid\":7,\"tid\":8,\"ts\":1,\"dur\":2,"
      "\"args\":{\"x\":N/A,\"n\":007,\"c\":\"tab\there\",\"bytes\":\"\xff\"},}]}";
  EXPECT_THAT(
      EventLines(Converted(json, false)),
      ElementsAre("{\"ph\":\"X\",\"name\":\"a \\\"b\\\" c\",\"pid\":7,\"tid\":8,\"ts\":1.000,"
                  "\"dur\":2.000,\"args\":{\"x\":\"N/A\",\"n\":\"007\",\"c\":\"tab\\there\","
                  "\"bytes\":\"\xef\xbf\xbd\"}}"));
  ExpectRoundTrip(json);
}

TEST(KinetoJsonWriter, WritesExactMicroseconds) {
  std::string text;
  for (const int64_t ns : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{1234567}, INT64_MIN}) {
    AppendMicroseconds(text, ns);
    text += ' ';
  }
  EXPECT_EQ(text, "0.000 0.001 -0.001 1234.567 -9223372036854775.808 ");
}

}  // namespace
}  // namespace telltale
