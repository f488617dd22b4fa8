// SPDX-License-Identifier: Apache-2.0
// The rules about operators: shapes, compiled pieces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "health/fixture.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace telltale
