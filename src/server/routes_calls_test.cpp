// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/test_api.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ApiTest, ListsTheCallsOfAnOperator) {
  folder_.Write("a.json", SmallTrace(3));
  Start();
  const std::string calls = "/profiles/" + Load("/a") + "/calls";
  const Json mm = Good(calls + "?operator=aten::mm");
  EXPECT_EQ(mm.Int("/total"), 3);
  EXPECT_EQ(mm.Int("/calls/0/duration_ns"), 202000);
  EXPECT_EQ(mm.Int("/calls/0/start_ns"), 2100000);
  EXPECT_EQ(mm.Int("/calls/0/input_shapes/0/1"), 4);
  EXPECT_EQ(mm.Int("/calls/0/kernel_count"), 1);
  EXPECT_EQ(mm.Text("/calls/0/kernels/0/name"), "gemm");
  EXPECT_EQ(Good(calls + "?operator=aten::mm&limit=1").Size("/calls"), 1U);
  EXPECT_EQ(Good(calls + "?operator=aten::mm&shape=[[8,4],[4,2]]").Int("/total"), 3);
  EXPECT_EQ(Good(calls + "?operator=aten::mm&shape=[[1]]").Int("/total"), 0);
  const Json step = Good(calls + "?operator=ProfilerStep#1");
  EXPECT_EQ(step.Text("/calls/0/kernels/0/name"), "gemm") << "also what is launched below";

  const Json gemm = Good(calls + "?kernel=gemm");
  EXPECT_EQ(gemm.Int("/total"), 3);
  EXPECT_EQ(gemm.Int("/calls/0/duration_ns"), 302000);
  EXPECT_EQ(gemm.Text("/calls/0/operator/name"), "aten::mm");
  EXPECT_EQ(gemm.Text("/calls/0/launch/name"), "cudaLaunchKernel");
  EXPECT_EQ(gemm.Int("/calls/0/stream"), 7);
  EXPECT_THAT(Wrong(calls), StartsWith("400 "));
  EXPECT_THAT(Wrong(calls + "?operator=a&kernel=b"), StartsWith("400 "));
  EXPECT_THAT(Wrong(calls + "?operatr=a"), HasSubstr("did you mean 'operator'"));
}

}  // namespace
}  // namespace telltale
