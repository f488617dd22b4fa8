// SPDX-License-Identifier: Apache-2.0
// Each check on a sound trace and on one with its fault.
#include "analysis/validate/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

using testing::HasSubstr;

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;
constexpr int64_t kHour = 3'600'000 * kMs;

class ValidateTest : public testing::Test {
 protected:
  std::optional<Finding> Find(std::string_view kind) {
    for (Finding& finding : ValidateTrace(builder_.trace())) {
      if (finding.kind == kind) return std::move(finding);
    }
    return std::nullopt;
  }

  // A step with one operator that launches a kernel; ids continue.
  SpanRow Step(int number, int64_t start, int kernels = 1) {
    const SpanRow step =
        builder_.Annotation("ProfilerStep#" + std::to_string(number), start, start + 100 * kUs);
    for (int i = 0; i < kernels; ++i, ++id_) {
      const int64_t at = start + i * 10 * kUs;
      builder_.OperatorDetailOf(builder_.Operator("aten::mm", at, at + 9 * kUs)).external_id = id_;
      builder_.Runtime("cudaLaunchKernel", at + kUs, at + 3 * kUs, id_);
      builder_.Kernel("gemm", at + 4 * kUs, at + 8 * kUs, id_);
    }
    return step;
  }

  SpanRow Sync(std::string_view name, int64_t start, int64_t end, SyncDetail detail) {
    const SpanRow row = builder_.Add("cuda_sync", name, start, end, builder_.Track(0, 7));
    Trace& trace = builder_.trace();
    trace.spans.detail[row] = static_cast<uint32_t>(trace.sync_details.size());
    trace.sync_details.push_back(detail);
    return row;
  }

  int64_t OffsetOf(SpanRow row) { return static_cast<int64_t>(builder_.trace().spans.offset[row]); }

  TraceBuilder builder_;
  uint64_t id_ = 1;
};

TEST_F(ValidateTest, FindsNothingWrongWithASoundTrace) {
  for (int i = 0; i < 4; ++i) Step(i, i * 200 * kUs, 3);
  EXPECT_TRUE(ValidateTrace(builder_.trace()).empty());
}

TEST_F(ValidateTest, PassesOnWhatTheReaderFoundAndPutsErrorsFirst) {
  Step(0, 0);
  builder_.trace().diagnostics.Add(DiagnosticKind::kTrailingComma, 12);
  builder_.trace().diagnostics.Add(DiagnosticKind::kTruncated, 99);
  builder_.Kernel("endless", 1, 8 * 24 * kHour, 7777);
  const std::vector<Finding> findings = ValidateTrace(builder_.trace());
  ASSERT_GE(findings.size(), 4u);
  EXPECT_EQ(findings[0].kind, "truncated");
  EXPECT_EQ(findings[0].first_offset, 99u);
  EXPECT_EQ(findings[1].kind, "absurd_duration");
  EXPECT_EQ(findings[2].kind, "trailing_comma");
  EXPECT_TRUE(
      std::is_sorted(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; }));
}

TEST_F(ValidateTest, ReportsKernelsBeforeTheirLaunch) {
  builder_.Runtime("cudaLaunchKernel", 100 * kUs, 110 * kUs, 1);
  const SpanRow kernel = builder_.Kernel("early", 95 * kUs, 120 * kUs, 1);
  auto finding = Find("kernel_before_launch");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::kInfo);
  EXPECT_EQ(finding->count, 1u);
  EXPECT_EQ(finding->first_offset, static_cast<uint64_t>(OffsetOf(kernel)));
  EXPECT_THAT(finding->message, HasSubstr("5.00 µs"));

  builder_.Runtime("cudaLaunchKernel", 100 * kMs, 101 * kMs, 2);
  builder_.Kernel("much too early", 98 * kMs, 99 * kMs, 2);
  EXPECT_EQ(Find("kernel_before_launch")->severity, Severity::kError);
}

TEST_F(ValidateTest, AllowsOneMicrosecondBeforeTheLaunch) {
  builder_.Runtime("cudaLaunchKernel", 100 * kUs, 110 * kUs, 1);
  builder_.Kernel("rounded", 99 * kUs, 120 * kUs, 1);
  EXPECT_FALSE(Find("kernel_before_launch"));
}

TEST_F(ValidateTest, ReportsWaitsThatDoNotNameTheirRecord) {
  Sync("Stream Wait Event", 10, 20, {.correlation = 5});
  Sync("Event Sync", 30, 40, {.correlation = 6, .wait_on_record_correlation = -1});
  Sync("Context Sync", 50, 60, {.correlation = 7});
  const auto finding = Find("wait_without_record");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 2u);
  EXPECT_EQ(finding->severity, Severity::kLoss);
}

TEST_F(ValidateTest, ReportsWaitsForALaterRecord) {
  builder_.Runtime("cudaEventRecord", 10 * kUs, 12 * kUs, 1);
  builder_.Runtime("cudaStreamWaitEvent", 20 * kUs, 22 * kUs, 2);
  Sync("Stream Wait Event", 21 * kUs, 22 * kUs,
       {.correlation = 2, .wait_on_record_correlation = 1});
  EXPECT_FALSE(Find("wait_on_future_record"));
  builder_.Runtime("cudaEventRecord", 40 * kUs, 42 * kUs, 3);
  builder_.Runtime("cudaStreamWaitEvent", 30 * kUs, 32 * kUs, 4);
  Sync("Stream Wait Event", 31 * kUs, 32 * kUs,
       {.correlation = 4, .wait_on_record_correlation = 3});
  const auto finding = Find("wait_on_future_record");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 1u);
  EXPECT_EQ(finding->severity, Severity::kError);
}

TEST_F(ValidateTest, ReportsKernelsStillRunningAtAStreamSync) {
  builder_.Kernel("long", 0, 100 * kUs, 1, 0, 7);
  builder_.Kernel("inside", 10 * kUs, 20 * kUs, 2, 0, 7);
  Sync("Stream Sync", 50 * kUs, 60 * kUs, {.device = 0, .stream = 8});
  Sync("Stream Sync", 100 * kUs, 110 * kUs, {.device = 0, .stream = 7});
  EXPECT_FALSE(Find("kernel_running_at_stream_sync"));
  Sync("Stream Sync", 50 * kUs, 60 * kUs, {.device = 0, .stream = 7});
  EXPECT_EQ(Find("kernel_running_at_stream_sync")->count, 1u);
}

TEST_F(ValidateTest, ReportsCollectivesWithoutTheirFields) {
  const SpanRow bare = builder_.Operator("record_param_comms", 0, 10);
  const SpanRow whole = builder_.Operator("record_param_comms", 20, 30);
  CollectiveDetail detail;
  detail.name = builder_.Text("allreduce");
  detail.dtype = builder_.Text("Float");
  detail.in_elements = detail.out_elements = 5;
  detail.group_size = 8;
  builder_.OperatorDetailOf(whole).collective = 0;
  builder_.trace().collectives.push_back(detail);
  auto finding = Find("collective_fields_missing");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 1u);
  EXPECT_EQ(finding->first_offset, static_cast<uint64_t>(OffsetOf(bare)));
  builder_.trace().collectives[0].group_size = kNoInt;
  EXPECT_EQ(Find("collective_fields_missing")->count, 2u);
}

TEST_F(ValidateTest, ReportsOneSequenceNumberWithTwoBackwardOperators) {
  auto backward = [this](std::string_view name, int64_t start, int64_t end, int64_t sequence) {
    OperatorDetail& detail = builder_.OperatorDetailOf(builder_.Operator(name, start, end));
    detail.sequence_number = sequence;
    detail.forward_thread = 1;
  };
  backward("autograd::engine::evaluate_function: MmBackward0", 0, 100, 41);
  backward("MmBackward0", 10, 90, 41);
  backward("MmBackward0", 210, 290, 41);  // run twice: still one name
  OperatorDetail& forward = builder_.OperatorDetailOf(builder_.Operator("aten::mm", 300, 310));
  forward.sequence_number = 41;  // forward operators share the number by design
  forward.forward_thread = 0;
  EXPECT_FALSE(Find("backward_names_per_sequence"));
  backward("AddBackward0", 400, 410, 41);
  EXPECT_EQ(Find("backward_names_per_sequence")->count, 1u);
}

TEST_F(ValidateTest, ReportsHostOverlapAndMissingLaunches) {
  builder_.Operator("a", 0, 20);
  builder_.Operator("b", 10, 30);
  builder_.Kernel("from before", 0, 10, 4711);
  EXPECT_EQ(Find("partial_overlap")->count, 1u);
  EXPECT_EQ(Find("launch_missing")->count, 1u);
}

TEST_F(ValidateTest, ReportsEventsOfAStreamThatOverlap) {
  builder_.Kernel("a", 0, 10 * kUs, 1, 0, 7);
  builder_.Kernel("other stream", 5 * kUs, 15 * kUs, 2, 0, 8);
  builder_.Kernel("next", 10 * kUs, 20 * kUs, 3, 0, 7);
  EXPECT_FALSE(Find("device_overlap"));
  const SpanRow overlapping = builder_.Kernel("dependent launch", 18 * kUs + 1, 30 * kUs, 4, 0, 7);
  const auto finding = Find("device_overlap");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 1u);
  EXPECT_EQ(finding->first_offset, static_cast<uint64_t>(OffsetOf(overlapping)));
}

TEST_F(ValidateTest, AllowsOneMicrosecondOfOverlapInCoarseTraces) {
  builder_.Kernel("a", 0, 10 * kUs, 1);
  builder_.Kernel("b", 9 * kUs, 20 * kUs, 2);
  EXPECT_FALSE(Find("device_overlap"));
}

TEST_F(ValidateTest, ReportsATraceWithoutSteps) {
  builder_.Operator("aten::mm", 0, 10);
  EXPECT_TRUE(Find("no_steps"));
}

TEST_F(ValidateTest, CountsStepNumbersThatAreMissing) {
  Step(3, 0);
  Step(4, 200 * kUs);
  const SpanRow after = Step(8, 400 * kUs);
  const auto finding = Find("missing_steps");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 3u);
  EXPECT_EQ(finding->severity, Severity::kLoss);
  EXPECT_EQ(finding->first_offset, static_cast<uint64_t>(OffsetOf(after)));
}

TEST_F(ValidateTest, ReportsATrailingStepWithoutItsDeviceWork) {
  Step(1, 0, 5);
  Step(2, 200 * kUs, 5);
  Step(3, 400 * kUs, 3);
  EXPECT_EQ(Find("incomplete_step")->count, 1u);
}

TEST_F(ValidateTest, ReportsEventsOutsideTheRecordedWindow) {
  Step(1, 1000 * kUs);
  builder_.Add("Trace", "PyTorch Profiler (0)", 900 * kUs, 1200 * kUs, builder_.Track(1, 1));
  EXPECT_FALSE(Find("outside_window"));
  builder_.Operator("before", 100 * kUs, 200 * kUs);
  builder_.Operator("after the span", 1300 * kUs, 1400 * kUs);
  EXPECT_EQ(Find("outside_window")->count, 2u);
  InstantTable& instants = builder_.trace().instants;
  instants.time_ns.push_back(1500 * kUs);
  instants.name.push_back(builder_.Text("Record Window End"));
  EXPECT_EQ(Find("outside_window")->count, 1u);
}

TEST_F(ValidateTest, ReportsTheSameEventTwice) {
  for (int copy = 0; copy < 2; ++copy) {
    builder_.Runtime("cudaLaunchKernel", 0, 10, 5);
    builder_.Kernel("twice", 20, 30, 5);
  }
  builder_.Kernel("graph node", 40, 50, 6);
  builder_.Kernel("graph node", 50, 60, 6);
  // Nested operators of one name that coarse times cannot tell apart have different ids.
  builder_.OperatorDetailOf(builder_.Operator("aten::to", 100, 110)).external_id = 1;
  builder_.OperatorDetailOf(builder_.Operator("aten::to", 100, 110)).external_id = 2;
  builder_.Operator("no id", 200, 210);
  builder_.Operator("no id", 200, 210);
  const auto finding = Find("duplicated_span");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 2u);
  EXPECT_EQ(finding->severity, Severity::kError);
}

TEST_F(ValidateTest, ReportsAbsurdAndZeroDurations) {
  builder_.Kernel("week", 0, 7 * 24 * kHour, 1);
  builder_.Kernel("nothing", 5, 5, 2);
  builder_.Operator("quick", 5, 5);
  builder_.Operator("slow", 5, 10);
  EXPECT_FALSE(Find("absurd_duration"));
  EXPECT_EQ(Find("zero_duration")->count, 1u);
  EXPECT_EQ(Find("zero_duration")->severity, Severity::kInfo);
  builder_.Kernel("overflow", 0, 30 * 24 * kHour, 3);
  const auto finding = Find("absurd_duration");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 1u);
  EXPECT_THAT(finding->message, HasSubstr("up to 30 days"));
}

TEST_F(ValidateTest, CallsDurationsLostWhereMostAreZero) {
  for (int i = 0; i < 6; ++i) builder_.Operator("measured", i * kUs, i * kUs + 5);
  const SpanRow first = builder_.Operator("lost", 100, 100);
  for (int i = 0; i < 6; ++i) builder_.Runtime("lost", 200 + i, 200 + i, static_cast<uint64_t>(i));
  const auto finding = Find("zero_duration");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::kLoss);
  EXPECT_EQ(finding->count, 7u);
  EXPECT_EQ(finding->first_offset, static_cast<uint64_t>(OffsetOf(first)));
  EXPECT_THAT(finding->message, HasSubstr("7 of 13 events"));
}

TEST_F(ValidateTest, CallsDurationsOfTheDeviceLostWhereMostOfThemAreZero) {
  for (int i = 0; i < 20; ++i) builder_.Operator("measured", i * kUs, i * kUs + 5);
  builder_.Kernel("measured", 0, 5);
  builder_.Kernel("lost", 10, 10);
  EXPECT_EQ(Find("zero_duration")->severity, Severity::kInfo);
  builder_.Kernel("lost", 20, 20);
  const auto finding = Find("zero_duration");
  EXPECT_EQ(finding->severity, Severity::kLoss);
  EXPECT_THAT(finding->message, HasSubstr("2 of 3 device events"));
}

TEST_F(ValidateTest, ReportsAClockThatJumps) {
  builder_.Operator("a", 0, 10);
  builder_.Operator("b", kHour, kHour + 10);
  EXPECT_FALSE(Find("clock_jump"));
  const SpanRow after = builder_.Operator("c", 3 * kHour, 3 * kHour + 10);
  const auto finding = Find("clock_jump");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 1u);
  EXPECT_EQ(finding->first_offset, static_cast<uint64_t>(OffsetOf(after)));
}

TEST_F(ValidateTest, SurvivesTimesAtTheEndsOfTheRange) {
  builder_.Operator("first", INT64_MIN + 1, INT64_MIN + 2);
  builder_.Operator("last", INT64_MAX - 2, INT64_MAX - 1);
  EXPECT_EQ(Find("clock_jump")->count, 1u);
}

TEST_F(ValidateTest, ReportsMemoryTotalsThatContradict) {
  const int64_t totals[] = {100, 150, 90, -10};
  const int64_t bytes[] = {100, 50, -50, -100};
  for (int i = 0; i < 4; ++i) {
    builder_.Memory(i, bytes[i]);
    builder_.trace().memory.total_allocated[static_cast<size_t>(i)] = totals[i];
    builder_.trace().memory.offset[static_cast<size_t>(i)] = static_cast<uint64_t>(i);
  }
  const auto negative = Find("memory_total_negative");
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->severity, Severity::kError);
  EXPECT_EQ(negative->first_offset, 3u);
  const auto jump = Find("memory_total_jump");
  ASSERT_TRUE(jump);
  EXPECT_EQ(jump->count, 1u);
  EXPECT_EQ(jump->first_offset, 2u);
}

TEST_F(ValidateTest, ReportsRangesThatNeverEnded) {
  const SpanRow open = builder_.Annotation("still running", 0, 10);
  builder_.OperatorDetailOf(open).finished = false;
  const auto finding = Find("unfinished_range");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::kLoss);
}

TEST(ValidateDocument, ListsEveryKind) {
  std::ifstream file("docs/rules.md");
  ASSERT_TRUE(file) << "run the tests from the repository\'s root";
  std::stringstream text;
  text << file.rdbuf();
  for (const char* kind : {"kernel_before_launch",
                           "wait_without_record",
                           "wait_on_future_record",
                           "kernel_running_at_stream_sync",
                           "collective_fields_missing",
                           "backward_names_per_sequence",
                           "partial_overlap",
                           "device_overlap",
                           "launch_missing",
                           "no_steps",
                           "missing_steps",
                           "incomplete_step",
                           "outside_window",
                           "duplicated_span",
                           "absurd_duration",
                           "zero_duration",
                           "clock_jump",
                           "memory_total_negative",
                           "memory_total_jump",
                           "unfinished_range"}) {
    EXPECT_THAT(text.str(), HasSubstr("| `" + std::string(kind) + "` |"));
  }
}

TEST_F(ValidateTest, HasNothingToSayAboutAnEmptyTraceButThatItHasNoSteps) {
  const std::vector<Finding> findings = ValidateTrace(builder_.trace());
  EXPECT_TRUE(std::all_of(findings.begin(), findings.end(),
                          [](const Finding& finding) { return finding.kind == "no_steps"; }));
}

}  // namespace
}  // namespace telltale
