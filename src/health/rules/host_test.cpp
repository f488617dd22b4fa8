// SPDX-License-Identifier: Apache-2.0
// The rules about the host that drives the device: launches, copies, waits, shapes, compilation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "health/fixture.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;

class LaunchAdvice : public AdviceTest {
 protected:
  // Kernels of `kernel_ns`, launched every 20 µs by calls of 6 µs; the device follows after 4 µs.
  void Kernels(int count, int64_t kernel_ns) {
    for (int i = 0; i < count; ++i) {
      const int64_t at = i * 20 * kUs;
      const auto id = static_cast<uint64_t>(i + 1);
      builder_.Runtime("cudaLaunchKernel", at, at + 6 * kUs, id);
      builder_.Kernel("tiny", at + 10 * kUs, at + 10 * kUs + kernel_ns, id);
    }
    StepRow row;
    row.name = "1";
    row.duration_ns = count * 20 * kUs;
    report_.steps.source = StepSource::kProfilerStep;
    report_.steps.rows.push_back(row);
    report_.steps.average_ns = row.duration_ns;
  }
};

TEST_F(LaunchAdvice, ReportsShortKernelsAndAnEmptyQueue) {
  Device("cuda", "8.0", 0.15);
  Kernels(60, 3 * kUs);
  const auto made = Run("launch_bound");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kHigh);
  EXPECT_THAT(made->text, HasSubstr("60 of 60 kernels"));
  EXPECT_THAT(made->text, HasSubstr("CUDA graphs"));
  EXPECT_EQ(IntEvidence(*made, "mean_launch_ns"), 6 * kUs);
  EXPECT_EQ(IntEvidence(*made, "host_wait_ns"),
            59 * 17 * kUs);  // the first gap lies before the first launch
  const auto idle = Run("low_utilization");
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->severity, AdviceSeverity::kLow);
  EXPECT_EQ(TextEvidence(*idle, "explained_by"), "launch_bound");
}

TEST_F(LaunchAdvice, NamesHipGraphsOnAmdAndNoGraphsElsewhere) {
  Kernels(60, 3 * kUs);
  Device("hip", "9.4", 0.15);
  EXPECT_THAT(Run("launch_bound")->text, HasSubstr("HIP graphs"));
  EXPECT_THAT(Run("launch_bound")->text, Not(HasSubstr("CUDA graphs")));
  report_.devices[0].type = "xpu";
  EXPECT_THAT(Run("launch_bound")->text, Not(HasSubstr("graphs")));
}

TEST_F(LaunchAdvice, IsSilentWhereTheQueueIsFull) {
  Device();
  Kernels(60, 19 * kUs);
  EXPECT_FALSE(Run("launch_bound"));
}

TEST_F(LaunchAdvice, IsSilentAboutFewKernels) {
  Device("cuda", "8.0", 0.15);
  Kernels(19, 3 * kUs);
  EXPECT_FALSE(Run("launch_bound"));
}

TEST_F(LaunchAdvice, DoesNotCountTheKernelsOfAGraph) {
  Device("cuda", "8.0", 0.15);
  Steps(1, StepCategory::kOther, 0);
  builder_.Runtime("cudaGraphLaunch", 0, 50 * kUs, 7);
  for (int i = 0; i < 200; ++i)
    builder_.Kernel("node", (100 + i) * 20 * kUs, (100 + i) * 20 * kUs + kUs, 7);
  EXPECT_FALSE(Run("launch_bound"));
}

class HostCodeAdvice : public AdviceTest {
 protected:
  // Two steps of 100 ms: 30 ms of an operator, the rest in code outside of it.
  void TwoSteps() {
    Steps(2, StepCategory::kCpuExec, 30 * kMs);
    report_.steps.average[static_cast<size_t>(StepCategory::kOther)] = 70 * kMs;
    for (int step = 0; step < 2; ++step) {
      const int64_t at = step * 100 * kMs;
      builder_.Annotation("ProfilerStep#" + std::to_string(10 + step), at, at + 100 * kMs);
      builder_.Operator("aten::mm", at + 70 * kMs, at + 100 * kMs);
    }
  }
  // main > train > prepare (both steps) > decode, resize (the longer half); a monitor beside.
  void Frames() {
    builder_.Python("train.py(1): <module>", 0, 200 * kMs);
    builder_.Python("train.py(5): train", 0, 200 * kMs);
    for (int step = 0; step < 2; ++step) {
      const int64_t at = step * 100 * kMs;
      builder_.Python("lib/data.py(7): prepare", at + kMs, at + 60 * kMs);
      builder_.Python("lib/image.py(40): decode", at + 2 * kMs, at + 20 * kMs);
      builder_.Python("lib/image.py(55): resize", at + 20 * kMs, at + 45 * kMs);
      builder_.Python("train.py(20): forward", at + 70 * kMs, at + 100 * kMs);
    }
    builder_.Python("threading.py(1): wait", 0, 200 * kMs, 2);
  }
};

TEST_F(HostCodeAdvice, NamesTheFunctionThatHasMostOfTheTime) {
  TwoSteps();
  Frames();
  const auto advice = Run("host_code");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->severity, AdviceSeverity::kHigh);
  EXPECT_EQ(IntEvidence(*advice, "other_ns"), 70 * kMs);
  // Neither decode (18 of 70 ms) nor resize (25) has half of it; prepare has 59.
  EXPECT_EQ(TextEvidence(*advice, "function"), "lib/data.py(7): prepare");
  EXPECT_EQ(IntEvidence(*advice, "function_ns"), 59 * kMs);
  EXPECT_EQ(TextEvidence(*advice, "example_name"), "lib/data.py(7): prepare");
  EXPECT_THAT(advice->text, HasSubstr("70.0 % of an average step"));
  EXPECT_THAT(advice->text, HasSubstr("84.3 % of it in prepare (data.py:7)."));
}

TEST_F(HostCodeAdvice, CountsOnlyTheTimeOutsideOperators) {
  TwoSteps();
  // The longest frame runs the operator; what is outside of it is spread.
  for (int step = 0; step < 2; ++step) {
    const int64_t at = step * 100 * kMs;
    builder_.Python("a.py(1): first", at, at + 20 * kMs);
    builder_.Python("a.py(2): second", at + 20 * kMs, at + 45 * kMs);
    builder_.Python("a.py(3): third", at + 45 * kMs, at + 100 * kMs);
  }
  const auto advice = Run("host_code");
  ASSERT_TRUE(advice);
  EXPECT_EQ(TextEvidence(*advice, "function"), "");
  EXPECT_THAT(advice->text, HasSubstr("No single Python function has most of it"));
}

TEST_F(HostCodeAdvice, AsksForStacksWhereThereAreNone) {
  TwoSteps();
  const auto advice = Run("host_code");
  ASSERT_TRUE(advice);
  EXPECT_THAT(advice->text, HasSubstr("with_stack=True"));
}

TEST_F(HostCodeAdvice, FollowsFramesThatOverlapInPart) {
  TwoSteps();
  for (int step = 0; step < 2; ++step) {
    const int64_t at = step * 100 * kMs;
    builder_.Python("a.py(1): long", at, at + 60 * kMs);
    builder_.Python("a.py(2): inner", at + kMs, at + 55 * kMs);
    builder_.Python("a.py(3): crossing", at + 50 * kMs, at + 65 * kMs);
    builder_.Python("a.py(4): below", at + 51 * kMs, at + 58 * kMs);
  }
  EXPECT_EQ(TextEvidence(*Run("host_code"), "function"), "a.py(2): inner");
}

TEST_F(HostCodeAdvice, ExplainsADeviceThatIsIdleMeanwhile) {
  TwoSteps();
  Device("cuda", "8.0", 0.25);
  const auto advice = Run("low_utilization");
  ASSERT_TRUE(advice);
  EXPECT_EQ(TextEvidence(*advice, "explained_by"), "host_code");
  EXPECT_EQ(advice->severity, AdviceSeverity::kLow);
}

TEST_F(HostCodeAdvice, IsSilentBelowAFifthAndWithoutSteps) {
  TwoSteps();
  report_.steps.average[static_cast<size_t>(StepCategory::kOther)] = 20 * kMs;
  EXPECT_FALSE(Run("host_code"));
  report_.steps.average[static_cast<size_t>(StepCategory::kOther)] = 21 * kMs;
  ASSERT_TRUE(Run("host_code"));
  EXPECT_EQ(Run("host_code")->severity, AdviceSeverity::kMedium);
  report_.steps.source = StepSource::kWholeTrace;
  EXPECT_FALSE(Run("host_code"));
}

class CopyAdvice : public AdviceTest {
 protected:
  // In each of two steps `count` copies to the host, each inside aten::copy_ and followed by a
  // wait.
  void Copies(int count, int64_t copy_ns, int64_t wait_ns) {
    Steps(2, StepCategory::kOther, 0);
    uint64_t id = 1;
    for (int step = 0; step < 2; ++step) {
      for (int i = 0; i < count; ++i, ++id) {
        const int64_t at = step * 100 * kMs + i * kMs;
        builder_.Operator("aten::to", at, at + 900 * kUs);
        builder_.Operator("aten::copy_", at + kUs, at + 800 * kUs);
        builder_.Runtime("cudaMemcpyAsync", at + 2 * kUs, at + 5 * kUs, id);
        builder_.Runtime("cudaStreamSynchronize", at + 6 * kUs, at + 6 * kUs + wait_ns);
        const SpanRow copy = builder_.Memcpy("Memcpy DtoH (Device -> Pageable)", at + 4 * kUs,
                                             at + 4 * kUs + copy_ns, id);
        builder_.DeviceDetailOf(copy).bytes = 1024;
      }
    }
    CopyRow row;
    row.name = "Memcpy DtoH (Device -> Pageable)";
    row.direction = "DtoH";
    row.pageable = true;
    row.calls = static_cast<uint64_t>(2 * count);
    row.total_ns = 2 * count * copy_ns;
    report_.copies.push_back(row);
  }
};

TEST_F(CopyAdvice, ReportsMoreThanTwentyCopiesPerStep) {
  Copies(21, 10 * kUs, kUs);
  const auto made = Run("host_device_copies");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kLow);
  EXPECT_THAT(made->text, HasSubstr("21 copies between host and device per step"));
  EXPECT_EQ(IntEvidence(*made, "copies_to_host"), 42);
}

TEST_F(CopyAdvice, IsSilentAboutTwentyShortCopiesPerStep) {
  Copies(20, 10 * kUs, kUs);
  EXPECT_FALSE(Run("host_device_copies"));
  EXPECT_FALSE(Run("pageable_copies"));
}

TEST_F(CopyAdvice, ReportsFewCopiesThatTakeLong) {
  Copies(10, 600 * kUs, kUs);
  EXPECT_EQ(Run("host_device_copies")->severity, AdviceSeverity::kMedium);
}

TEST_F(CopyAdvice, ReportsPageableMemoryAndGivesWayToFewerCopies) {
  Copies(10, 200 * kUs, kUs);  // 2 %
  const auto alone = Run("pageable_copies");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->severity, AdviceSeverity::kLow);
  EXPECT_THAT(alone->remedy, HasSubstr("pin_memory=True"));
  builder_ = TraceBuilder();
  report_ = ProfileReport();
  Copies(10, 700 * kUs, kUs);  // 7 %
  EXPECT_EQ(Run("pageable_copies")->severity, AdviceSeverity::kLow);
  EXPECT_THAT(Run("pageable_copies")->text, HasSubstr("host_device_copies"));
}

TEST_F(CopyAdvice, DoesNotKnowPageableWhereTheCaptureDoesNotSay) {
  Copies(50, 200 * kUs, kUs);
  report_.copies[0].pageable.reset();
  EXPECT_FALSE(Run("pageable_copies"));
}

TEST_F(CopyAdvice, ReportsWaitsAndTheirOperatorOnce) {
  Device("cuda", "8.0", 0.4);
  Copies(30, 10 * kUs, 700 * kUs);
  const auto made = Run("synchronization");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kHigh);
  EXPECT_THAT(made->text, HasSubstr("30 times per step"));
  EXPECT_THAT(made->text, HasSubstr("60 of 60 waits come from aten::to"));
  EXPECT_THAT(Run("host_device_copies")->text,
              HasSubstr("also the waits that synchronization reports"));
}

TEST_F(CopyAdvice, WaitsCostLittleOnABusyDevice) {
  Device("cuda", "8.0", 0.9);
  Copies(30, 10 * kUs, 700 * kUs);
  EXPECT_EQ(Run("synchronization")->severity, AdviceSeverity::kLow);
  report_.devices[0].utilization_share = 0.96;
  EXPECT_FALSE(Run("synchronization"));
}

TEST_F(AdviceTest, CountsReadingAValueOnlyWhereItWaits) {
  Device("cuda", "8.0", 0.4);
  Steps(1, StepCategory::kOther, 0);
  builder_.Kernel("k", 0, 10, 999);
  for (int i = 0; i < 12; ++i) {
    const int64_t at = i * 5 * kMs;
    builder_.Operator("aten::item", at, at + 2 * kMs);
    builder_.Operator("aten::_local_scalar_dense", at + 1, at + 2 * kMs - 1);
    builder_.Runtime("cudaStreamSynchronize", at + 2, at + 2 * kMs - 2);
    builder_.Operator("aten::item", at + 3 * kMs, at + 4 * kMs);  // on the host: no wait
  }
  const auto made = Run("synchronization");
  ASSERT_TRUE(made);
  EXPECT_EQ(IntEvidence(*made, "waits"), 12);
  EXPECT_EQ(IntEvidence(*made, "waits_in_item"), 12);
  EXPECT_EQ(TextEvidence(*made, "commonest_operator"), "aten::item");
}

TEST_F(AdviceTest, IgnoresTheProfilersOwnWaitInATraceWithoutSteps) {
  Device("cuda", "8.0", 0.4);
  Steps(1, StepCategory::kOther, 0);
  report_.steps.source = StepSource::kWholeTrace;
  builder_.Kernel("k", 0, 10, 999);
  for (int i = 0; i < 12; ++i)
    builder_.Runtime("cudaDeviceSynchronize", i * 8 * kMs, (i + 1) * 8 * kMs);
  EXPECT_FALSE(Run("synchronization"));
}

class ShapeAdvice : public AdviceTest {
 protected:
  void Products(int count, std::string_view dims, int64_t kernel_ns) {
    for (int i = 0; i < count; ++i, ++id_) {
      const int64_t at = static_cast<int64_t>(id_) * kMs;
      const SpanRow mm = builder_.Operator("aten::mm", at, at + 50 * kUs);
      if (!dims.empty()) builder_.OperatorDetailOf(mm).input_dims = builder_.Text(dims);
      builder_.Runtime("cudaLaunchKernel", at + kUs, at + 5 * kUs, id_);
      builder_.Kernel("gemm", at + 10 * kUs, at + 10 * kUs + kernel_ns, id_);
    }
  }
  uint64_t id_ = 1;
};

TEST_F(ShapeAdvice, ReportsTheShapeThatTakesMostDeviceTime) {
  Products(10, "[[197,768],[768,1003]]", 40 * kUs);
  Products(30, "[[64,64],[64,64]]", 15 * kUs);
  const auto made = Run("dominating_shape");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kLow);
  EXPECT_THAT(made->text,
              HasSubstr("52.9 % of the device time: aten::mm with [[64,64],[64,64]], 30 calls"));
}

TEST_F(ShapeAdvice, NamesDimensionsThatAreNoMultiplesOfEight) {
  Products(10, "[[197,768],[768,1003]]", 100 * kUs);
  Products(10, "[[64,64],[64,64]]", 10 * kUs);
  const auto made = Run("dominating_shape");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_THAT(made->remedy, HasSubstr("197 and 1003 are no multiples of 8"));
}

TEST_F(ShapeAdvice, IsSilentWithoutShapesOrWithFewCalls) {
  Products(20, "", 100 * kUs);
  Products(9, "[[64,64],[64,64]]", 1000 * kUs);
  EXPECT_FALSE(Run("dominating_shape"));
}

TEST_F(AdviceTest, TakesHostTimeWhereThereIsNoDevice) {
  for (int i = 0; i < 10; ++i) {
    const SpanRow conv = builder_.Operator("aten::mkldnn_convolution", i * 100, i * 100 + 80);
    builder_.OperatorDetailOf(conv).input_dims = builder_.Text("[[8,3,224,224]]");
    builder_.Operator("aten::relu", i * 100 + 80, i * 100 + 100);
  }
  const auto made = Run("dominating_shape");
  ASSERT_TRUE(made);
  EXPECT_THAT(made->text, HasSubstr("80.0 % of the operators' own host time"));
  EXPECT_EQ(IntEvidence(*made, "host_self_ns"), 800);
}

TEST_F(AdviceTest, ReportsCompilationInsideTheSteps) {
  Steps(2, StepCategory::kOther, 0);
  for (int i = 0; i < 5; ++i) {
    const int64_t at = 10 * kMs + i * 4 * kMs;
    builder_.Annotation("_compile.compile_inner (dynamo_timed)", at, at + 3 * kMs);
    builder_.Annotation("compile_fx_inner (dynamo_timed)", at + 10,
                        at + kMs);  // nested: not counted again
  }
  builder_.Annotation("Torch-Compiled Region: 0/1", 50 * kMs, 60 * kMs);
  const auto made = Run("compile_breaks");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_EQ(IntEvidence(*made, "compilations"), 5);
  EXPECT_EQ(IntEvidence(*made, "recompiled_regions"), 1);
  EXPECT_THAT(made->remedy, HasSubstr("TORCH_LOGS=recompiles"));
  EXPECT_EQ(TextEvidence(*made, "worst_step"), "10");
}

TEST_F(AdviceTest, ReportsAModelInManyPieces) {
  Steps(1, StepCategory::kOther, 0);
  for (int i = 0; i < 12; ++i) {
    builder_.Annotation("Torch-Compiled Region: " + std::to_string(i) + "/0", i * kMs,
                        i * kMs + 100);
  }
  const auto made = Run("compile_breaks");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kLow);
  EXPECT_THAT(made->remedy, HasSubstr("TORCH_LOGS=graph_breaks"));
}

TEST_F(AdviceTest, IsSilentAboutOneRegionPerLayerOfTheSameFrame) {
  Steps(1, StepCategory::kOther, 0);
  for (int i = 0; i < 48; ++i)
    builder_.Annotation("Torch-Compiled Region: 3/0", i * kMs, i * kMs + 100);
  EXPECT_FALSE(Run("compile_breaks"));
}

TEST_F(CopyAdvice, SortsBySeverityAndCarriesThresholdRemedyAndEvidence) {
  Device("cuda", "8.0", 0.1);
  Copies(30, 10 * kUs, 700 * kUs);
  const std::vector<Recommendation> all = Run();
  ASSERT_GE(all.size(), 3u);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_LE(all[i == 0 ? 0 : i - 1].severity, all[i].severity);
    EXPECT_FALSE(all[i].threshold.empty());
    EXPECT_FALSE(all[i].evidence.empty());
    EXPECT_THAT(all[i].text, HasSubstr(all[i].remedy));
  }
}

}  // namespace
}  // namespace telltale
