// SPDX-License-Identifier: Apache-2.0
// The rules about input, several devices and the device itself: at, above and below their limits,
// and what keeps them silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "health/fixture.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(AdviceTest, SaysNothingAboutAnEmptyTrace) { EXPECT_TRUE(Run().empty()); }

TEST_F(AdviceTest, ReportsInputAboveFivePercentOfTheStep) {
  Steps(6, StepCategory::kDataloader, 12 * kMs);
  report_.steps.rows[4].categories[static_cast<size_t>(StepCategory::kDataloader)] = 40 * kMs;
  builder_.Annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 9 * kMs);
  const SpanRow longest = builder_.Annotation(
      "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 400 * kMs, 440 * kMs);
  const auto made = Run("dataloader_wait");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_THAT(made->text, HasSubstr("12.0 %"));
  EXPECT_THAT(made->text, HasSubstr("12.0 ms of 100.0 ms"));
  EXPECT_THAT(made->remedy, HasSubstr("num_workers=0"));
  EXPECT_EQ(IntEvidence(*made, "dataloader_ns"), 12 * kMs);
  EXPECT_EQ(TextEvidence(*made, "worst_step"), "14");
  EXPECT_EQ(IntEvidence(*made, "example_offset"),
            static_cast<int64_t>(builder_.trace().spans.offset[longest]));
}

TEST_F(AdviceTest, ReportsInputAboveTwentyPercentAsHighAndKnowsWorkers) {
  Steps(2, StepCategory::kDataloader, 21 * kMs);
  builder_.Annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 0, 21 * kMs);
  const auto made = Run("dataloader_wait");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kHigh);
  EXPECT_THAT(made->remedy, HasSubstr("Raise num_workers"));
}

TEST_F(AdviceTest, IsSilentAboutInputAtFivePercent) {
  Steps(6, StepCategory::kDataloader, 5 * kMs);
  EXPECT_FALSE(Run("dataloader_wait"));
}

TEST_F(AdviceTest, IsSilentAboutInputOfOneStepWithOneBatch) {
  Steps(1, StepCategory::kDataloader, 50 * kMs);
  builder_.Annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 50 * kMs);
  EXPECT_FALSE(Run("dataloader_wait"));
}

TEST_F(AdviceTest, ExampleTimesAreSince1970LikeTheStepsTimes) {
  builder_.trace().base_time_ns = 1'000'000 * kMs;
  Steps(2, StepCategory::kDataloader, 21 * kMs);
  for (StepRow& row : report_.steps.rows) row.start_ns += builder_.trace().base_time_ns;
  builder_.Annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 3 * kMs,
                      24 * kMs);
  const auto made = Run("dataloader_wait");
  ASSERT_TRUE(made);
  EXPECT_EQ(IntEvidence(*made, "example_start_ns"), 1'000'003 * kMs);
}

TEST_F(AdviceTest, ReportsDataParallelOnSeveralDevices) {
  builder_.Annotation("DataParallel.forward", 0, 10);
  Device();
  EXPECT_FALSE(Run("data_parallel"));
  Device();
  EXPECT_TRUE(Run("data_parallel"));
}

TEST_F(AdviceTest, DoesNotTakeDistributedDataParallelForDataParallel) {
  builder_.Annotation("DistributedDataParallel.forward", 0, 10);
  Device();
  Device();
  EXPECT_FALSE(Run("data_parallel"));
}

class BackendTest : public AdviceTest {
 protected:
  BackendTest() {
    builder_.Annotation("DistributedDataParallel.forward", 0, 10);
    for (int i = 0; i < 12; ++i) builder_.Annotation("gloo:all_reduce", 100 + 10 * i, 105 + 10 * i);
    builder_.trace().distributed.backend = "gloo";
  }
};

TEST_F(BackendTest, AdvisesNcclWhereGpusTalkThroughGloo) {
  Device();
  const auto made = Run("nccl_backend");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kHigh);
  EXPECT_THAT(made->text, HasSubstr("gloo"));
  EXPECT_THAT(made->text, Not(HasSubstr("RCCL")));
}

TEST_F(BackendTest, NamesRcclOnAmd) {
  Device("hip", "9.4");
  const auto made = Run("nccl_backend");
  ASSERT_TRUE(made);
  EXPECT_THAT(made->remedy, HasSubstr("RCCL"));
}

TEST_F(BackendTest, AcceptsAnyNcclCollectiveAsProof) {
  Device();
  builder_.Annotation("nccl:_all_gather_base", 50, 60);
  EXPECT_FALSE(Run("nccl_backend"));
}

TEST_F(BackendTest, AcceptsABackendThatListsNccl) {
  Device();
  builder_.trace().distributed.backend = "cpu:gloo,cuda:nccl";
  EXPECT_FALSE(Run("nccl_backend"));
}

TEST_F(BackendTest, IsSilentWithoutAGpuThatNcclSupports) {
  EXPECT_FALSE(Run("nccl_backend"));
  Device("cuda", "3.0");
  EXPECT_FALSE(Run("nccl_backend"));
}

TEST_F(AdviceTest, DoesNotGuessTheBackendWithoutCollectives) {
  builder_.Annotation("DistributedDataParallel.forward", 0, 10);
  Device();
  EXPECT_FALSE(Run("nccl_backend"));
}

TEST_F(AdviceTest, ReportsExposedCommunication) {
  Steps(3, StepCategory::kCommunication, 11 * kMs);
  KernelRow kernel;
  kernel.name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
  kernel.kind = KernelKind::kCommunication;
  kernel.calls = 30;
  kernel.total_ns = 60 * kMs;
  report_.kernels.push_back(kernel);
  builder_.Kernel(kernel.name, 5, 25, 1);
  const auto made = Run("communication");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_THAT(made->text, HasSubstr("11.0 %"));
  EXPECT_EQ(TextEvidence(*made, "example_name"), kernel.name);
  report_.kernels[0].calls = 9;
  EXPECT_FALSE(Run("communication"));
}

TEST_F(BackendTest, CommunicationGivesWayToTheBackend) {
  Device();
  Steps(3, StepCategory::kCommunication, 40 * kMs);
  const auto made = Run("communication");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_THAT(made->text, HasSubstr("nccl_backend"));
}

TEST_F(AdviceTest, ReportsADeviceThatIsMostlyIdle) {
  Steps(3, StepCategory::kCpuExec, 60 * kMs);
  Device("cuda", "8.0", 0.49);
  auto made = Run("low_utilization");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  report_.devices[0].utilization_share = 0.19;
  EXPECT_EQ(Run("low_utilization")->severity, AdviceSeverity::kHigh);
  report_.devices[0].utilization_share = 0.5;
  EXPECT_FALSE(Run("low_utilization"));
}

TEST_F(AdviceTest, IsNeverSureOfIdleTimeWithoutSteps) {
  Steps(1, StepCategory::kCpuExec, 60 * kMs);
  report_.steps.source = StepSource::kWholeTrace;
  Device("cuda", "8.0", 0.01);
  const auto made = Run("low_utilization");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_THAT(made->text, HasSubstr("no ProfilerStep"));
}

TEST_F(AdviceTest, DoesNotJudgeADeviceByNineKernels) {
  Device("cuda", "8.0", 0.01).kernel_count = 9;
  EXPECT_FALSE(Run("low_utilization"));
}

TEST_F(AdviceTest, LowUtilizationGivesWayToTheInputThatExplainsIt) {
  Steps(3, StepCategory::kDataloader, 60 * kMs);
  Device("cuda", "8.0", 0.19);
  const auto made = Run("low_utilization");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kLow);
  EXPECT_EQ(TextEvidence(*made, "explained_by"), "dataloader_wait");
  EXPECT_THAT(made->text, HasSubstr("74.1 % of that idle time is what dataloader_wait reports"));
}

class TensorCoreAdvice : public AdviceTest {
 protected:
  TensorCoreAdvice() {
    OperatorRow row;
    row.name = "aten::mm";
    row.calls = 100;
    row.device_self_ns = 60 * kMs;
    row.tensor_core_eligible = true;
    report_.operators.push_back(row);
    report_.kernel_total_ns = 100 * kMs;
  }
};

TEST_F(TensorCoreAdvice, ReportsProductsOnOrdinaryCores) {
  Device("cuda", "8.0");
  const auto made = Run("tensor_cores");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kHigh);
  EXPECT_THAT(made->text, HasSubstr("60.0 % of the kernel time"));
  EXPECT_THAT(made->remedy, HasSubstr("TF32"));
}

TEST_F(TensorCoreAdvice, AdvisesOnlyWhatTheGpuCan) {
  Device("cuda", "7.0");
  EXPECT_THAT(Run("tensor_cores")->remedy, Not(HasSubstr("TF32")));
  EXPECT_THAT(Run("tensor_cores")->remedy, HasSubstr("float16"));
}

TEST_F(TensorCoreAdvice, SpeaksOfMatrixCoresOnAmd) {
  Device("hip", "9.4").name = "AMD Instinct MI300X";
  const auto made = Run("tensor_cores");
  ASSERT_TRUE(made);
  EXPECT_THAT(made->text, HasSubstr("matrix cores"));
  EXPECT_THAT(made->text, Not(HasSubstr("TF32")));
}

TEST_F(TensorCoreAdvice, IsSilentWhereTheGpuHasNoneOrDoesNotSay) {
  Device("cuda", "6.1");
  EXPECT_FALSE(Run("tensor_cores"));
  report_.devices[0].compute_capability = "";
  EXPECT_FALSE(Run("tensor_cores"));
  report_.devices[0].type = "xpu";
  EXPECT_FALSE(Run("tensor_cores"));
}

TEST_F(TensorCoreAdvice, IsSilentWhereTheyAreUsedOrTheShareIsSmall) {
  Device("cuda", "8.0");
  report_.operators[0].tensor_core_self_ns = 6 * kMs;
  EXPECT_FALSE(Run("tensor_cores"));
  report_.operators[0].tensor_core_self_ns = 0;
  report_.kernel_total_ns = 1000 * kMs;
  EXPECT_FALSE(Run("tensor_cores"));
}

TEST_F(TensorCoreAdvice, LooksAtShapesWhereTheInputsAreHalfAlready) {
  Device("cuda", "8.0");
  const SpanRow mm = builder_.Operator("aten::mm", 0, 10);
  builder_.OperatorDetailOf(mm).input_types = builder_.Text("[\"c10::Half\",\"c10::Half\"]");
  EXPECT_THAT(Run("tensor_cores")->remedy, HasSubstr("multiples of 8"));
}

class MemoryAdvice : public AdviceTest {
 protected:
  void Allocations(int count, int64_t total, int16_t device_type, int32_t device_id) {
    for (int i = 0; i < count; ++i) {
      builder_.Memory(1000 + i, 1, 1, device_type);
      MemoryTable& memory = builder_.trace().memory;
      memory.total_allocated[memory.size() - 1] = i == count / 2 ? total : total / 2;
      memory.device_id[memory.size() - 1] = device_id;
    }
  }
};

TEST_F(MemoryAdvice, ReportsAPeakNearTheLimitOnCudaAndHip) {
  Device("hip", "9.4").memory_bytes = 100;
  Allocations(10, 91, 6, 0);
  const auto made = Run("memory_limit");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_THAT(made->text, HasSubstr("91.0 %"));
  EXPECT_EQ(IntEvidence(*made, "peak_allocated_bytes"), 91);
}

TEST_F(MemoryAdvice, NeverComparesHostMemoryWithAGpu) {
  Device().memory_bytes = 100;
  Allocations(100, 500, 0, -1);
  Allocations(100, 500, 0, 0);
  EXPECT_FALSE(Run("memory_limit"));
}

TEST_F(MemoryAdvice, IsSilentAtNinetyPercentAndWithoutTheSize) {
  Device().memory_bytes = 100;
  Allocations(100, 90, 1, 0);
  EXPECT_FALSE(Run("memory_limit"));
  report_.devices[0].memory_bytes.reset();
  Allocations(100, 100, 1, 0);
  EXPECT_FALSE(Run("memory_limit"));
}

}  // namespace
}  // namespace telltale
