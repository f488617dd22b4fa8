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
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
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
