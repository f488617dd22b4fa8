// SPDX-License-Identifier: Apache-2.0
#include "formats/pyinstrument/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/function_dump.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kJson =
    R"({"start_time": 1794776990.748682,"duration": 1.02,"sample_count": 230,"target_description": "Program: job.py","cpu_time": 0.28,"root_frame": )"
    R"({"function": "<module>","file_path_short": "job.py","file_path": "/x/job.py","line_no": 1,"time": 1.017408,"await_time": 0.000000,"is_application_code": true,"children": [)"
    R"({"function": "main","file_path": "/x/job.py","line_no": 36,"time": 1.017408,"children": [)"
    R"({"function": "sleep","file_path": "<built-in>","line_no": 0,"time": 0.667480,"children": []},)"
    R"({"function": "burn","file_path": "/x/job.py","line_no": 9,"time": 0.345261,"children": []}]}]}})";

const std::string kSession =
    R"({"start_time": 100.5, "duration": 0.3, "sample_count": 3, "start_call_stack": ["MainThread\u0000<thread>\u000077"], "frame_records": [)"
    R"([["MainThread\u0000<thread>\u000077", "<module>\u0000/x/job.py\u00001\u0001l8", "run\u0000/x/job.py\u00005\u0001cJob\u0001l6"], 0.001],)"
    R"([["MainThread\u0000<thread>\u000077", "<module>\u0000/x/job.py\u00001\u0001l9", "run\u0000/x/job.py\u00005\u0001cJob\u0001l7"], 0.002],)"
    R"([["MainThread\u0000<thread>\u000077", "<module>\u0000/x/job.py\u00001\u0001l9", "[await]"], 0.0005]]})";

FunctionProfile Read(std::string_view text) {
  Result<FunctionProfile> profile = ReadFunctions(PyinstrumentFormat(), text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile ? CheckFunctions(*profile) : "", "");
  return profile ? std::move(*profile) : FunctionProfile();
}

TEST(Pyinstrument, ReadsTheRenderedTree) {
  const FunctionProfile profile = Read(kJson);
  EXPECT_EQ(PathsOf(profile),
            "<module> (/x/job.py:1);main (/x/job.py:36) 4667000\n"
            "<module> (/x/job.py:1);main (/x/job.py:36);sleep (<built-in>:0) 667480000\n"
            "<module> (/x/job.py:1);main (/x/job.py:36);burn (/x/job.py:9) 345261000\n");
  EXPECT_EQ(profile.start_ns, 1'794'776'990'748'682'000);
  EXPECT_EQ(profile.source.events, 230U);
  EXPECT_EQ(profile.tree.calls[0], kNoUint);
  EXPECT_TRUE(profile.timeline.empty());
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Pyinstrument, ReadsSavedSessions) {
  const FunctionProfile profile = Read(kSession);
  EXPECT_EQ(PathsOf(profile),
            "<module> (/x/job.py:1);run (/x/job.py:5) 3000000\n"
            "<module> (/x/job.py:1);[await] 500000\n");
  EXPECT_THAT(profile.threads, ElementsAre("MainThread"));
  ASSERT_EQ(profile.timeline.size(), 2U);
  EXPECT_EQ(profile.timeline[1].start, 3'000'000);
}

TEST(Pyinstrument, KeysMayComeInAnyOrder) {
  EXPECT_EQ(PathsOf(Read(R"({"root_frame": {"children": [{"time": 1, "function": "b"}], "time": 3,)"
                         R"( "function": "a", "extra": [{"x": []}]}, "sample_count": 1})")),
            "a 2000000000\na;b 1000000000\n");
}

TEST(Pyinstrument, RoundedChildrenNeverMakeATimeNegative) {
  const FunctionProfile profile = Read(
      R"({"root_frame": {"function": "a", "time": 1.0, "children": [{"function": "b", "time": 1.000001}]}})");
  EXPECT_EQ(PathsOf(profile), "a;b 1000001000\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kRoundedValues), 1U);
}

TEST(Pyinstrument, ASessionWithoutSamplesIsEmpty) {
  EXPECT_EQ(Read(R"({"sample_count": 0, "cpu_time": 0, "root_frame": null})").tree.size(), 0U);
}

TEST(Pyinstrument, MalformedRecordsAreCounted) {
  const FunctionProfile profile = Read(
      R"({"frame_records": [5, [["a"], "x"], [[], 1], [["a", 7], -1], [["a"], 1e99], [["a"], 2]]})");
  EXPECT_EQ(PathsOf(profile), "a 2000000000\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 3U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kNegativeDuration), 1U);
}

TEST(Pyinstrument, DeepTreesNeedNoStack) {
  std::string text = R"({"root_frame": )";
  std::string end = "}";
  for (int i = 0; i < 20'000; ++i) {
    text += R"({"function": "f", "time": 1, "children": [)";
    end += "]}";
  }
  EXPECT_EQ(
      Read(text + "{\"function\": \"g\", \"time\": 1}" + std::string(end.rbegin(), end.rend()))
          .tree.size(),
      20'001U);
}

TEST(Pyinstrument, EveryCutGivesWhatWasBeforeIt) {
  for (const std::string& text : {kJson, kSession}) {
    for (size_t size = 0; size < text.size(); ++size) {
      const auto profile =
          ReadFunctions(PyinstrumentFormat(), std::string_view(text).substr(0, size));
      if (!profile) {
        EXPECT_THAT(profile.error().message, HasSubstr("pyinstrument"));
        continue;
      }
      EXPECT_EQ(CheckFunctions(*profile), "");
      EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kTruncated), 1U) << size;
    }
  }
}

TEST(Pyinstrument, OneByteAtATimeIsTheSame) {
  ReadOptions tiny;
  tiny.block_bytes = 1;
  for (const std::string& text : {kJson, kSession}) {
    EXPECT_EQ(DumpFunctions(*ReadFunctions(PyinstrumentFormat(), text, 1, tiny)),
              DumpFunctions(*ReadFunctions(PyinstrumentFormat(), text)));
  }
}

}  // namespace
}  // namespace telltale
