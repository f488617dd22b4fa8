// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/samples/writer.h"
#include "server/test_api.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ApiTest, SendsCallTrees) {
  folder_.Write("a.folded", "main;run;read 30\nmain;run;work 60\nmain;idle 10\nmain;run 1\n");
  Start();
  const std::string profile = "/profiles/" + Load("a.folded");
  const Json tree = Good(profile + "/calltree");
  EXPECT_EQ(tree.Text("/source"), "tree");
  EXPECT_EQ(tree.Text("/unit"), "count");
  EXPECT_EQ(tree.Int("/total"), 101);
  EXPECT_EQ(tree.Size("/nodes/id"), 5U);
  EXPECT_EQ(tree.Int("/nodes/parent/0"), -1);
  EXPECT_EQ(tree.Int("/nodes/total_high/0"), 101);
  EXPECT_EQ(tree.Int("/nodes/total_high/1"), 91) << "children by their time";
  EXPECT_EQ(tree.Int("/nodes/self/1"), 1);
  EXPECT_EQ(tree.Text("/functions/1/name"), "run");

  EXPECT_EQ(Good(profile + "/calltree?min_share=0.2").Size("/nodes/id"), 4U);
  EXPECT_EQ(Good(profile + "/calltree?min_share=0.2").Int("/nodes/hidden/0"), 1);
  EXPECT_EQ(Good(profile + "/calltree?nodes=2").Size("/nodes/id"), 2U);
  const Json below = Good(profile + "/calltree?root=" + std::to_string(tree.Int("/nodes/id/1")));
  EXPECT_EQ(below.Size("/nodes/id"), 3U);
  EXPECT_EQ(below.Int("/nodes/total_high/0"), 91);
  EXPECT_THAT(Wrong(profile + "/calltree?root=99"), StartsWith("404 "));
  EXPECT_THAT(Wrong(profile + "/calltree?min_share=2"), StartsWith("400 "));

  const int64_t run = tree.Int("/functions/1/function");
  const Json one = Good(profile + "/functions/" + std::to_string(run));
  EXPECT_EQ(one.Text("/function/name"), "run");
  EXPECT_EQ(one.Size("/callers/id"), 2U);
  EXPECT_EQ(one.Int("/callers/total_high/1"), 91);
  EXPECT_EQ(one.Size("/callees/id"), 3U);
  EXPECT_EQ(one.Int("/callees/total_high/1"), 60);
  EXPECT_THAT(Wrong(profile + "/functions/99"), StartsWith("404 "));
  EXPECT_THAT(Wrong(profile + "/functions/x"), StartsWith("404 "));
  EXPECT_THAT(Wrong(profile + "/calls?operator=x"), StartsWith("400 "));
  EXPECT_EQ(Good(profile + "/report?view=overview").Int("/rows_total/functions"), 5);
}

TEST_F(ApiTest, ThreadsAreToldApartAndTheirCallsOrderedInTime) {
  const std::string frame = R"({"ph": "X", "cat": "python_function", "pid": 1, "name": )";
  folder_.Write("a.json", R"({"traceEvents": [)" + frame +
                              R"("a.py(1): main", "tid": 1, "ts": 0, "dur": 100},)" + frame +
                              R"("a.py(2): step", "tid": 1, "ts": 10, "dur": 30},)" + frame +
                              R"("a.py(2): step", "tid": 1, "ts": 50, "dur": 30},)" + frame +
                              R"("threading.py(312): wait", "tid": 2, "ts": 0, "dur": 500}]})");
  folder_.Write("f.folded", "main;run 30\n");
  Start();
  const std::string profile = "/profiles/" + Load("/a");
  EXPECT_EQ(Good(profile + "/calltree").Int("/total"), 600'000) << "all, unless one is asked for";
  EXPECT_EQ(Good(profile + "/calltree?thread=main").Int("/total"), 100'000);
  EXPECT_EQ(Good(profile + "/calltree?thread=1").Int("/total"), 500'000);
  EXPECT_THAT(Wrong(profile + "/calltree?thread=2"), StartsWith("400 "));
  const Json report = Good(profile + "/report?view=functions&thread=main");
  EXPECT_EQ(report.Int("/functions/total_ns"), 100'000);
  EXPECT_EQ(report.Int("/functions/thread"), 0);
  EXPECT_EQ(report.Size("/functions/threads"), 2U);

  const Json order = Good(profile + "/callorder");
  EXPECT_EQ(order.Text("/thread"), "thread 1") << "the one that worked";
  EXPECT_EQ(order.Int("/whole"), 100'000);
  EXPECT_EQ(order.Int("/levels"), 2);
  EXPECT_EQ(order.Size("/boxes/start"), 3U);
  EXPECT_EQ(order.Int("/boxes/start/1"), 50'000);
  EXPECT_EQ(order.Text("/functions/0/name"), "step");
  EXPECT_EQ(Good(profile + "/callorder?start=40000&end=50000").Size("/boxes/start"), 1U);
  EXPECT_THAT(Wrong(profile + "/callorder?start=x"), StartsWith("400 "));
  EXPECT_THAT(Wrong("/profiles/" + Load("f.folded") + "/callorder"),
              HasSubstr("not when they ran"));
}

// Ten seconds from 2026-11-15T14:00:00Z on: `load` in the first five, then `step`.
std::string TenSeconds() {
  constexpr int64_t kSecond = 1'000'000'000;
  SamplesWriter writer(1'794'751'200 * kSecond, kSecond / 100);
  const uint32_t main = writer.AddThread(7, 7, "MainThread");
  const uint32_t run = writer.Child(SamplesWriter::kNoNode, writer.FunctionOf("a.py", 1, "run"));
  const uint32_t load = writer.Child(run, writer.FunctionOf("a.py", 10, "load"));
  const uint32_t step = writer.Child(run, writer.FunctionOf("a.py", 20, "step"));
  std::string file;
  for (int64_t second = 0; second < 10; ++second) {
    const bool early = second < 5;
    writer.Add(main, early ? load : step, SampleState::kHoldsGil, early ? 12 : 21, kSecond / 4);
    writer.Add(main, early ? load : step, SampleState::kNative, early ? 13 : 22, kSecond * 3 / 4);
    file += writer.TakeBlock(second * kSecond, (second + 1) * kSecond);
  }
  return file;
}

TEST_F(ApiTest, SomeOfTheTimeOfSamples) {
  folder_.Write("a.tts", TenSeconds());
  folder_.Write("f.folded", "main;run 30\n");
  Start();
  const std::string profile = "/profiles/" + Load("a.tts");
  const std::string asked = "between=14:00:02..14:00:04";
  EXPECT_EQ(Good(profile + "/calltree").Int("/total"), 10'000'000'000);
  const Json tree = Good(profile + "/calltree?" + asked);
  EXPECT_EQ(tree.Int("/total"), 2'000'000'000);
  EXPECT_EQ(tree.Size("/functions"), 3U) << "what did not run meanwhile is not there";
  const Json report = Good(profile + "/report?view=functions&" + asked);
  EXPECT_EQ(report.Text("/functions/between/from"), "2026-11-15T14:00:02.000Z");
  EXPECT_EQ(report.Text("/functions/between/to"), "2026-11-15T14:00:04.000Z");
  EXPECT_EQ(report.Int("/functions/between/start_ns"), 2'000'000'000);
  EXPECT_TRUE(bool(report.At("/functions/between/whole_slots")));
  EXPECT_EQ(report.Int("/functions/total_ns"), 2'000'000'000);
  EXPECT_EQ(Good(profile + "/callorder?" + asked).Int("/whole"), 2'000'000'000);
  EXPECT_THAT(Wrong(profile + "/calltree?between=15:00..15:01"),
              HasSubstr("recorded: 2026-11-15 14:00:00 to 14:00:10 UTC"));
  EXPECT_THAT(Wrong(profile + "/report?view=functions&between=20s.."), StartsWith("400 "));
  EXPECT_THAT(Wrong(profile + "/calltree?between=x"), HasSubstr("takes FROM..TO"));
  EXPECT_THAT(Wrong("/profiles/" + Load("f.folded") + "/calltree?between=1s..2s"),
              HasSubstr("not when they ran"));
}

TEST_F(ApiTest, LinesOfAFunction) {
  folder_.Write("a.tts", TenSeconds());
  Start();
  const std::string profile = "/profiles/" + Load("a.tts");
  const Json tree = Good(profile + "/calltree");
  const std::string function = std::to_string(tree.Int("/functions/1/function"));
  ASSERT_EQ(tree.Text("/functions/1/name"), "load");
  const Json one = Good(profile + "/functions/" + function);
  ASSERT_EQ(one.Size("/lines"), 2U);
  EXPECT_EQ(one.Int("/lines/0/line"), 13);
  EXPECT_EQ(one.Int("/lines/0/self"), 3'750'000'000);
  EXPECT_EQ(Good(profile + "/report?view=functions&lines").Int("/functions/lines/0/self_ns"),
            3'750'000'000);
}

TEST_F(ApiTest, WhatAProfileHasOfSomeOfTheTime) {
  folder_.Write("a.tts", TenSeconds());
  folder_.Write("f.folded", "main;run 30\n");
  Start();
  const std::string profile = "/profiles/" + Load("a.tts") + "/moment";
  const Json inside = Good(profile + "?start=1794751202000000000&end=1794751204000000000");
  EXPECT_EQ(inside.Text("/from_ns"), "1794751200000000000");
  EXPECT_EQ(inside.Text("/to_ns"), "1794751210000000000");
  EXPECT_EQ(inside.Text("/between"),
            "2026-11-15T14:00:02.000000000Z..2026-11-15T14:00:04.000000000Z");
  EXPECT_TRUE(inside.At("/steps").is_null());
  EXPECT_EQ(Good("/profiles/" + Load("a.tts") + "/calltree?between=" + inside.Text("/between"))
                .Int("/total"),
            2'000'000'000);
  const Json later = Good(profile + "?start=1794751300000000000&end=1794751301000000000");
  EXPECT_TRUE(later.At("/between").is_null());
  EXPECT_THAT(Wrong(profile + "?start=5&end=5"), HasSubstr("later than start"));
  const Json timeless = Good("/profiles/" + Load("f.folded") + "/moment?start=1&end=2");
  EXPECT_TRUE(timeless.At("/from_ns").is_null());
}

TEST_F(ApiTest, CallTreesAreOfThePartThatIsAskedFor) {
  const std::string frame = R"({"ph": "X", "cat": "python_function", "pid": 1, "tid": 1, "name": )";
  std::string trace = SmallTrace(2);
  trace.resize(trace.size() - 2);
  trace += "," + frame + R"("a.py(1): first", "ts": 10, "dur": 500},)" + frame +
           R"("b.py(1): second", "ts": 1010, "dur": 300}]})";
  folder_.Write("a.json", trace);
  folder_.Write("f.folded", "main;run 30\n");
  Start();
  const std::string profile = "/profiles/" + Load("/a");
  EXPECT_EQ(Good(profile + "/calltree").Size("/functions"), 2U);
  const Json second = Good(profile + "/calltree?steps=2");
  EXPECT_EQ(second.Size("/functions"), 1U);
  EXPECT_EQ(second.Text("/functions/0/name"), "second");
  EXPECT_EQ(second.Int("/nodes/total_high/0"),
            Good(profile + "/report?view=functions&steps=2").Int("/functions/rows/0/total_ns"));
  const std::string function = std::to_string(second.Int("/functions/0/function"));
  EXPECT_EQ(Good(profile + "/functions/" + function + "?steps=2").Text("/function/name"), "second");
  EXPECT_THAT(Wrong(profile + "/calltree?steps=9"), HasSubstr("matches no step"));
  EXPECT_THAT(Wrong(profile + "/calltree?steps=x"), StartsWith("400 "));
  EXPECT_THAT(Wrong(profile + "/calltree?rank=3"), HasSubstr("rank 3"));
  EXPECT_THAT(Wrong(profile + "/calltree?inside=nowhere"), HasSubstr("matches no range"));
  EXPECT_THAT(Wrong(profile + "/calltree?file=9"), StartsWith("400 "));
  EXPECT_THAT(Wrong(profile + "/calltree?sort=calls"), HasSubstr("there is no parameter 'sort'"));
  EXPECT_THAT(Wrong("/profiles/" + Load("f.folded") + "/calltree?steps=2"),
              HasSubstr("needs a PyTorch trace"));
}

}  // namespace
}  // namespace telltale
