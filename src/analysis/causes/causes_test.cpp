// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;

CausesReport CausesOf(TraceBuilder& builder) {
  AnalysisOptions options;
  options.threads = 1;
  const TraceContext context = PrepareTrace(builder.trace(), options);
  return DescribeCauses({&context, 1});
}

// "rule what saving" in µs, largest first.
std::vector<std::string> Lines(const CausesReport& report) {
  std::vector<std::string> lines;
  for (const Cause& cause : report.causes) {
    std::string line(RuleOf(cause.kind));
    if (!cause.what.empty()) line += " " + cause.what;
    line += cause.saving_ns ? " " + std::to_string(*cause.saving_ns / kUs) : " unknown";
    lines.push_back(line);
  }
  return lines;
}

class DeviceStep : public testing::Test {
 protected:
  // The host is done with its step then; the device may go on.
  void HostUntil(int64_t end) { builder_.Annotation("ProfilerStep#1", 0, end); }
  // An operator of 10 µs that launches a kernel, which starts 5 µs after the call.
  void Launch(int64_t at, int64_t kernel_start, int64_t kernel_end) {
    builder_.Operator("aten::mm", at, at + 10 * kUs);
    builder_.Runtime("cudaLaunchKernel", at + 2 * kUs, at + 8 * kUs, id_);
    builder_.Kernel("gemm", kernel_start, kernel_end, id_);
    ++id_;
  }
  std::vector<std::string> Causes() { return Lines(CausesOf(builder_)); }

  TraceBuilder builder_;
  uint64_t id_ = 1;
};

TEST(Causes, OfNothingAreNone) {
  TraceBuilder empty;
  EXPECT_THAT(CausesOf(empty).causes, IsEmpty());
  EXPECT_THAT(DescribeCauses({}).causes, IsEmpty());
}

TEST(Causes, OperatorsWithoutADeviceAreWork) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100 * kMs);
  builder.Operator("aten::mm", 0, 60 * kMs);
  builder.Annotation("save_checkpoint", 60 * kMs, 90 * kMs);
  builder.Operator("aten::add", 90 * kMs, 100 * kMs);
  const CausesReport report = CausesOf(builder);
  EXPECT_THAT(Lines(report), ElementsAre("host_code save_checkpoint 30000"));
  EXPECT_EQ(report.work_ns, 70 * kMs);
  EXPECT_EQ(report.most_work, "aten::mm");
  EXPECT_EQ(report.Without(1), 70 * kMs);
}

TEST(Causes, HostTimeIsNamedAfterTheInnermostOwnFunctionOrAnnotation) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100 * kMs);
  builder.Python("train.py(10): step", 0, 100 * kMs);
  builder.Operator("aten::mm", 0, 20 * kMs);
  builder.Python("train.py(81): save", 20 * kMs, 60 * kMs);
  builder.Python("<built-in function sleep>", 30 * kMs, 60 * kMs);
  builder.Annotation("log", 60 * kMs, 80 * kMs);
  builder.Python("<built-in function print>", 61 * kMs, 80 * kMs);
  builder.Python("torch/profiler/profiler.py(7): step", 80 * kMs, 90 * kMs);
  builder.Python("Python GC", 90 * kMs, 95 * kMs);
  builder.Operator("aten::add", 95 * kMs, 100 * kMs);
  const CausesReport report = CausesOf(builder);
  EXPECT_THAT(Lines(report),
              ElementsAre("host_code train.py(81): save 40000", "host_code log 20000",
                          "profiler_overhead 10000", "garbage_collection Python GC 5000"));
  EXPECT_EQ(report.causes[1].called_from, "train.py(10): step");
  EXPECT_EQ(report.causes[3].left_ns, 25 * kMs);
}

// Steps of a host that is ahead: each launches a kernel, which ends after the next step has begun
// on the host.
TEST(Causes, WhatDelaysTheHostIsSavedWhereTheDeviceIsBehindIt) {
  TraceBuilder builder;
  constexpr int64_t kHost = 100 * kMs;   // a step on the host
  constexpr int64_t kKernel = 80 * kMs;  // ends 20 ms into the next step
  constexpr int64_t kLaunched = 40 * kMs;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t start = i * kHost;
    builder.Annotation("ProfilerStep#" + std::to_string(i + 1), start, start + kHost);
    // It begins while the device still works on the step before, and hides nothing all the same.
    builder.Annotation("log_metrics", start, start + 15 * kMs);
    builder.Operator("aten::mm", start + kLaunched, start + kLaunched + 10 * kUs);
    const auto id = static_cast<uint64_t>(i + 1);
    builder.Runtime("cudaLaunchKernel", start + kLaunched, start + kLaunched + 5 * kUs, id);
    builder.Kernel("gemm", start + kLaunched + 5 * kUs, start + kLaunched + kKernel, id);
  }
  const CausesReport report = CausesOf(builder);
  const auto logging = std::ranges::find(report.causes, "log_metrics", &Cause::what);
  ASSERT_NE(logging, report.causes.end());
  EXPECT_EQ(logging->saving_ns, 15 * kMs);
  EXPECT_EQ(logging->least_saving_ns, 15 * kMs);
}

// Nobody's own code: the library's function that has most of it, in all its calls.
TEST(Causes, ADataLoaderSaysWhichFunctionTakesTheTime) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100 * kMs);
  builder.Operator("aten::mm", 0, 20 * kMs);
  builder.Annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 20 * kMs,
                     100 * kMs);
  builder.Python("torch/utils/data/dataloader.py(7): __next__", 20 * kMs, 100 * kMs);
  builder.Python("transformers/image.py(5): preprocess", 21 * kMs, 99 * kMs);
  for (int64_t i = 0; i < 7; ++i) {
    const int64_t start = (22 + i * 10) * kMs;
    builder.Python("transformers/image.py(90): normalize", start, start + 9 * kMs);
    builder.Python("<built-in function array>", start + kMs, start + 3 * kMs);
  }
  const CausesReport report = CausesOf(builder);
  ASSERT_EQ(report.causes.size(), 1u);
  EXPECT_EQ(report.causes[0].kind, CauseKind::kDataLoading);
  EXPECT_EQ(report.causes[0].called_from, "transformers/image.py(90): normalize");
}

// The first call into the device makes the profiler ask for its buffers.
TEST_F(DeviceStep, WhatTheProfilerDoesInsideACallIsTheProfilers) {
  HostUntil(10 * kMs);
  builder_.Operator("aten::mm", 0, 5 * kMs);
  builder_.Add("overhead", "Activity Buffer Request", kMs, 4 * kMs, builder_.Track(-1, 0));
  builder_.Runtime("cudaLaunchKernel", 5 * kMs - 10 * kUs, 5 * kMs - 5 * kUs, id_);
  builder_.Kernel("gemm", 5 * kMs, 10 * kMs, id_);
  EXPECT_THAT(Causes(), ElementsAre("profiler_overhead 3000", "host_operator aten::mm 1990"));
}

TEST_F(DeviceStep, LoadingAFunctionIsNotTheProfilers) {
  HostUntil(10 * kMs);
  builder_.Operator("aten::mm", 0, 5 * kMs);
  builder_.Add("overhead", "Lazy Function Loading", kMs, 4 * kMs, builder_.Track(-1, 0));
  builder_.Runtime("cudaLaunchKernel", 5 * kMs - 10 * kUs, 5 * kMs - 5 * kUs, id_);
  builder_.Kernel("gemm", 5 * kMs, 10 * kMs, id_);
  EXPECT_THAT(Causes(), ElementsAre("host_operator aten::mm 4990"));
}

// The call fills a pinned buffer from the program's memory before the device begins to copy.
TEST_F(DeviceStep, ACopyFromPageableMemoryIsTheWholeCall) {
  HostUntil(20 * kMs);
  builder_.Operator("aten::copy_", 0, 10 * kMs);
  builder_.Runtime("cudaMemcpyAsync", 0, 10 * kMs, id_);
  builder_.Memcpy("Memcpy HtoD (Pageable -> Device)", 7 * kMs, 10 * kMs - 10 * kUs, id_);
  ++id_;
  Launch(10 * kMs, 10 * kMs + 20 * kUs, 20 * kMs);
  const CausesReport report = CausesOf(builder_);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].kind, CauseKind::kCopy);
  EXPECT_EQ(report.causes[0].what, "Memcpy HtoD (Pageable -> Device)");
  EXPECT_NEAR(static_cast<double>(*report.causes[0].saving_ns), 10.0 * kMs, 0.05 * kMs);
}

TEST_F(DeviceStep, AKernelIsNoCauseAndNoLaunchThatKeepsUp) {
  HostUntil(kMs);
  for (int i = 0; i < 10; ++i)
    Launch(i * 10 * kUs, (5 + i * 10'000) * kUs, (5 + (i + 1) * 10'000) * kUs);
  EXPECT_THAT(Causes(), IsEmpty());
}

TEST_F(DeviceStep, LaunchingOneByOneCostsWhatTheDeviceWaits) {
  HostUntil(100 * kMs);
  for (int i = 0; i < 1000; ++i) Launch(i * 100 * kUs, (i * 100 + 10) * kUs, (i * 100 + 30) * kUs);
  const CausesReport report = CausesOf(builder_);
  ASSERT_EQ(report.causes.size(), 1u);
  EXPECT_EQ(report.causes[0].kind, CauseKind::kLaunchOverhead);
  EXPECT_EQ(report.causes[0].calls, 1000u);
  // What is left is the kernels one after the other.
  EXPECT_NEAR(static_cast<double>(report.causes[0].left_ns), 20.0 * kMs, 0.1 * kMs);
}

// A full queue, then a stall in which it runs dry: to launch faster before the stall would help as
// much as to be without it, but it is the stall that is out of the way.
TEST_F(DeviceStep, LaunchesBeforeAStallAreNoSecondReason) {
  HostUntil(61 * kMs);
  for (int i = 0; i < 200; ++i) {
    Launch(i * 100 * kUs, (10 + i * 200) * kUs, (10 + (i + 1) * 200) * kUs);
  }
  builder_.Annotation("save_checkpoint", 20 * kMs, 50 * kMs);
  for (int i = 0; i < 100; ++i) {
    const int64_t at = 50 * kMs + i * 100 * kUs;
    Launch(at, 50 * kMs + (10 + i * 200) * kUs, 50 * kMs + (10 + (i + 1) * 200) * kUs);
  }
  const CausesReport report = CausesOf(builder_);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].what, "save_checkpoint");
  EXPECT_NEAR(static_cast<double>(*report.causes[0].saving_ns), 10.0 * kMs, 0.1 * kMs);
  EXPECT_EQ(report.causes.size(), 1u);
}

TEST_F(DeviceStep, WaitingForTheDeviceCostsOnlyWhatTheHostCouldHaveDoneMeanwhile) {
  HostUntil(91 * kMs);
  Launch(0, 10 * kUs, 40 * kMs);
  builder_.Operator("aten::item", 20 * kUs, 40 * kMs + 10 * kUs);
  builder_.Runtime("cudaStreamSynchronize", 30 * kUs, 40 * kMs);
  // 50 ms of the host's own, then the next kernel.
  builder_.Annotation("metrics", 41 * kMs, 90 * kMs);
  Launch(90 * kMs, 90 * kMs + 10 * kUs, 100 * kMs);
  const CausesReport report = CausesOf(builder_);
  // Without the wait the metrics run beside the first kernel: 49 ms, then the second kernel.
  ASSERT_GE(report.causes.size(), 2u);
  EXPECT_EQ(report.causes[0].what, "metrics");
  EXPECT_EQ(report.causes[1].what, "cudaStreamSynchronize");
  EXPECT_EQ(report.causes[1].inside, "aten::item");
  EXPECT_NEAR(static_cast<double>(*report.causes[1].saving_ns), 40.0 * kMs, 0.2 * kMs);
  EXPECT_NEAR(static_cast<double>(report.Without(2)), 50.0 * kMs, 1.2 * kMs);
}

TEST_F(DeviceStep, AllocationsCopiesAndSlowCallsAreNamedAfterThemselves) {
  HostUntil(91 * kMs);
  builder_.Annotation("empty_cache", 0, 40 * kMs);
  builder_.Runtime("hipFree", 0, 20 * kMs);
  builder_.Runtime("hipFree", 20 * kMs, 40 * kMs);
  builder_.Runtime("cudaStreamCreate", 40 * kMs, 60 * kMs);
  builder_.Runtime("cudaMemcpyAsync", 60 * kMs, 90 * kMs, 77);
  builder_.Memcpy("Memcpy HtoD (Pageable -> Device)", 60 * kMs + 5 * kUs, 90 * kMs - 5 * kUs, 77);
  Launch(90 * kMs, 90 * kMs + 10 * kUs, 100 * kMs);
  const CausesReport report = CausesOf(builder_);
  EXPECT_THAT(Lines(report),
              ElementsAre("allocation_calls hipFree 40000",
                          "host_device_copies Memcpy HtoD (Pageable -> Device) 30000",
                          "runtime_call cudaStreamCreate 20000"));
  EXPECT_EQ(report.causes[0].calls, 2u);
  EXPECT_EQ(report.causes[0].inside, "empty_cache");
}

TEST_F(DeviceStep, AWaitThatNothingExplainsIsSaidToBeOne) {
  HostUntil(kMs);
  Launch(0, 10 * kUs, 1 * kMs);
  Launch(50 * kUs, 60 * kMs, 100 * kMs);
  const CausesReport report = CausesOf(builder_);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].kind, CauseKind::kUnexplained);
  EXPECT_EQ(report.causes[0].saving_ns, 59 * kMs);
}

TEST_F(DeviceStep, AKernelFarSlowerThanOthersOfItsKindIsUneven) {
  HostUntil(kMs);
  for (int i = 0; i < 9; ++i)
    Launch(i * 10 * kUs, (5 + i * 1'000) * kUs, (5 + (i + 1) * 1'000) * kUs);
  Launch(90 * kUs, 9'005 * kUs, 100 * kMs);
  const CausesReport report = CausesOf(builder_);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].kind, CauseKind::kUnevenWork);
  EXPECT_EQ(report.causes[0].what, "gemm");
  EXPECT_NEAR(static_cast<double>(*report.causes[0].saving_ns), 90.0 * kMs, 0.5 * kMs);
}

TEST(Causes, CompilingInTheStepIsOneCause) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100 * kMs);
  builder.Operator("entire_frame_compile", 0, 50 * kMs);
  builder.Operator("backend_compile", 10 * kMs, 40 * kMs);
  builder.Operator("aten::mm", 50 * kMs, 100 * kMs);
  EXPECT_THAT(Lines(CausesOf(builder)), ElementsAre("compilation entire_frame_compile 50000"));
}

TEST(Causes, CollectivesOfOneRankAreNotJudged) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100 * kMs);
  builder.Operator("aten::mm", 0, 50 * kMs);
  builder.Annotation("gloo:all_reduce", 50 * kMs, 100 * kMs);
  EXPECT_THAT(Lines(CausesOf(builder)), ElementsAre("communication gloo:all_reduce unknown"));
}

// Steps of 100 ms one after the other, each an operator; one of them as long as said.
class SlowStepTest : public testing::Test {
 protected:
  void Steps(int slow, int64_t slow_ns, std::string_view in_slow) {
    int64_t at = 0;
    for (int i = 0; i < 5; ++i) {
      const int64_t end = at + (i == slow ? slow_ns : 100 * kMs);
      builder_.Annotation("ProfilerStep#" + std::to_string(i), at, end);
      builder_.Operator("aten::mm", at, at + 100 * kMs);
      if (i == slow) Add(in_slow, at + 100 * kMs, end);
      at = end;
    }
  }
  void Add(std::string_view name, int64_t start, int64_t end) {
    if (name.starts_with("aten::")) {
      builder_.Operator(name, start, end);
    } else {
      builder_.Annotation(name, start, end);
    }
  }
  TraceBuilder builder_;
};

TEST_F(SlowStepTest, WorkThatOthersDoNotHaveMakesASlowStep) {
  Steps(3, 300 * kMs, "aten::sort");
  const CausesReport report = CausesOf(builder_);
  EXPECT_THAT(Lines(report), ElementsAre("slow_steps aten::sort 40000"));
  EXPECT_EQ(report.causes[0].worst_region, "3");
  EXPECT_EQ(report.causes[0].more_ns, 200 * kMs);
  EXPECT_EQ(report.causes[0].left_ns, 100 * kMs);
}

TEST_F(SlowStepTest, ACauseThatExplainsItIsNamedInstead) {
  Steps(3, 300 * kMs, "save_checkpoint");
  const CausesReport report = CausesOf(builder_);
  EXPECT_THAT(Lines(report), ElementsAre("host_code save_checkpoint 40000"));
  EXPECT_EQ(report.causes[0].worst_region, "3");
}

TEST(Causes, ManySmallOperatorsAreDearToCall) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100 * kMs);
  for (int i = 0; i < 1000; ++i) {
    const int64_t at = i * 100 * kUs;
    builder.Python(i % 3 == 0   ? "train.py(1): a"
                   : i % 3 == 1 ? "train.py(2): b"
                                : "train.py(3): c",
                   at, at + 100 * kUs);
    builder.Operator("aten::mm", at + 60 * kUs, at + 100 * kUs);
  }
  const CausesReport report = CausesOf(builder);
  EXPECT_THAT(Lines(report), ElementsAre("launch_bound 60000"));
  EXPECT_TRUE(report.causes[0].on_host);
  EXPECT_EQ(report.causes[0].calls, 1000U);
}

TEST(Causes, SmallOperatorsOfOneFunctionAreItsOwn) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100 * kMs);
  builder.Python("train.py(1): count_right", 0, 100 * kMs);
  for (int i = 0; i < 1000; ++i) {
    builder.Operator("aten::mm", (60 + i * 100) * kUs, (100 + i * 100) * kUs);
  }
  EXPECT_THAT(Lines(CausesOf(builder)), ElementsAre("host_code train.py(1): count_right 60000"));
}

// The function around all steps calls the operators: that says nothing of where.
TEST(Causes, TheLoopItselfIsNoNameForItsSmallOperators) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 1 * kMs, 100 * kMs);
  builder.Python("train.py(1): main", 0, 200 * kMs);
  for (int i = 10; i < 1000; ++i) {
    builder.Operator("aten::mm", (40 + i * 100) * kUs, (100 + i * 100) * kUs);
  }
  EXPECT_THAT(Lines(CausesOf(builder)), ElementsAre("launch_bound 39600"));
}

TEST(Causes, CallingLargeOperatorsIsNoPrice) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100 * kMs);
  for (int i = 0; i < 100; ++i) {
    builder.Operator("aten::mm", (100 + i * 1000) * kUs, (1000 + i * 1000) * kUs);
  }
  EXPECT_THAT(Lines(CausesOf(builder)), ElementsAre("host_code 10000"));
}

TEST_F(DeviceStep, ARangeInWhichNothingRunsIsNamedHoweverShort) {
  HostUntil(100 * kMs);
  for (int i = 0; i < 1000; ++i) {
    const int64_t at = i * 100 * kUs;
    Launch(at, at + 5 * kUs, at + 15 * kUs);
    builder_.Annotation("log", at + 15 * kUs, at + 100 * kUs);
  }
  const CausesReport report = CausesOf(builder_);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].what, "log");
}

TEST_F(DeviceStep, AShortFunctionThatCallsNothingIsNamed) {
  HostUntil(100 * kMs);
  builder_.Python("train.py(1): main", 0, 100 * kMs);
  for (int i = 0; i < 1000; ++i) {
    const int64_t at = i * 100 * kUs;
    Launch(at, at + 5 * kUs, at + 15 * kUs);
    builder_.Python("train.py(81): log", at + 20 * kUs, at + 90 * kUs);
  }
  const CausesReport report = CausesOf(builder_);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].what, "train.py(81): log");
  EXPECT_NEAR(static_cast<double>(*report.causes[0].saving_ns), 70.0 * kMs, 1.0 * kMs);
}

// Two streams: each kernel of the second follows the first's by an event, and the other way round.
TEST(Causes, StreamsWaitForEachOtherAsTheirCallsSayWithoutSyncEvents) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 90 * kMs);
  uint64_t id = 1;
  for (int i = 0; i < 10; ++i) {
    const int64_t at = i * 9 * kMs;
    builder.Runtime("cudaLaunchKernel", at, at + 2 * kUs, id);
    builder.Kernel("first", at + 5 * kUs, at + 4 * kMs, id++, 0, 7);
    builder.Runtime("cudaEventRecord", at + 3 * kUs, at + 4 * kUs);
    builder.Runtime("cudaStreamWaitEvent", at + 4 * kUs, at + 5 * kUs);
    // Launched late, so that in the capture it is the launch that counts.
    builder.Annotation("slow", at + 5 * kUs, at + 5 * kMs);
    builder.Runtime("cudaLaunchKernel", at + 5 * kMs, at + 5 * kMs + 2 * kUs, id);
    builder.Kernel("second", at + 5 * kMs + 5 * kUs, at + 9 * kMs - 10 * kUs, id++, 0, 9);
    builder.Runtime("cudaEventRecord", at + 5 * kMs + 3 * kUs, at + 5 * kMs + 4 * kUs);
    builder.Runtime("cudaStreamWaitEvent", at + 5 * kMs + 4 * kUs, at + 5 * kMs + 5 * kUs);
  }
  const CausesReport report = CausesOf(builder);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].what, "slow");
  // The second still waits for the first: 1 of 5 ms each.
  EXPECT_NEAR(static_cast<double>(*report.causes[0].saving_ns), 10.0 * kMs, 1.0 * kMs);
}

}  // namespace
}  // namespace telltale
