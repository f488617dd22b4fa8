// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/collectives.h"

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

std::vector<CollectiveCall> Find(TraceBuilder& builder) {
  return FindCollectives(PrepareTrace(builder.trace(), {}));
}

uint32_t AddDetail(TraceBuilder& b, std::string_view name, int64_t in, int64_t out,
                   std::string_view dtype = "Float") {
  CollectiveDetail detail;
  detail.name = b.Text(name);
  detail.dtype = b.Text(dtype);
  detail.group_name = b.Text("0");
  detail.group_size = 4;
  detail.in_elements = in;
  detail.out_elements = out;
  b.trace().collectives.push_back(detail);
  return static_cast<uint32_t>(b.trace().collectives.size() - 1);
}

TEST(Collectives, KindIsFoundInNamesOfEveryEra) {
  using enum CollectiveKind;
  EXPECT_EQ(CollectiveKindOf("nccl:all_reduce"), kAllReduce);
  EXPECT_EQ(CollectiveKindOf("allreduce_coalesced"), kAllReduce);
  EXPECT_EQ(CollectiveKindOf("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long)"),
            kAllReduce);
  EXPECT_EQ(CollectiveKindOf("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            kAllGather);
  EXPECT_EQ(CollectiveKindOf("nccl:_all_gather_base"), kAllGather);
  EXPECT_EQ(CollectiveKindOf("_allgather_base"), kAllGather);
  EXPECT_EQ(CollectiveKindOf("c10d::_reduce_scatter_base_"), kReduceScatter);
  EXPECT_EQ(CollectiveKindOf("c10d::alltoall_base_"), kAllToAll);
  EXPECT_EQ(CollectiveKindOf("all_to_allv"), kAllToAll);
  EXPECT_EQ(CollectiveKindOf("ncclDevKernel_SendRecv(int)"), kSendReceive);
  EXPECT_EQ(CollectiveKindOf("nccl:send 0->1"), kSend);
  EXPECT_EQ(CollectiveKindOf("nccl:recv 1<-0"), kReceive);
  EXPECT_EQ(CollectiveKindOf("nccl:all_reduce_barrier"), kBarrier);
  EXPECT_EQ(CollectiveKindOf("nccl:reduce"), kReduce);
  EXPECT_EQ(CollectiveKindOf("gloo:scatter"), kScatter);
  EXPECT_EQ(CollectiveKindOf("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"), kOther);
}

TEST(Collectives, ElementSizesOfTorchAndOfCpp) {
  EXPECT_EQ(ElementBytes("Float"), 4);
  EXPECT_EQ(ElementBytes("BFloat16"), 2);
  EXPECT_EQ(ElementBytes("c10::Half"), 2);
  EXPECT_EQ(ElementBytes("long int"), 8);
  EXPECT_EQ(ElementBytes("Float8_e4m3fn"), 1);
  EXPECT_EQ(ElementBytes("TensorList"), std::nullopt);
}

TEST(Collectives, KernelsOfOneHostCallAreOneCall) {
  TraceBuilder b;
  b.Operator("c10d::allreduce_", 0, 100);
  const SpanRow comms = b.Operator("record_param_comms", 10, 90);
  b.OperatorDetailOf(comms).collective = AddDetail(b, "allreduce", 10, 10);
  b.Annotation("nccl:all_reduce", 20, 80);
  b.Runtime("cudaLaunchKernel", 30, 35, 1);
  b.Runtime("cudaLaunchKernel", 40, 45, 2);
  b.Kernel("ncclDevKernel_Generic(x)", 200, 260, 2);
  b.Kernel("ncclDevKernel_Generic(x)", 100, 150, 1);
  const auto calls = Find(b);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(calls[0].time, (Interval{100, 260}));
  EXPECT_EQ(calls[0].issued_ns, 0);
  EXPECT_EQ(calls[0].group_size, 4);
  EXPECT_EQ(MessageBytes(calls[0]), 40);
  EXPECT_TRUE(calls[0].on_device);
}

TEST(Collectives, AKernelWithoutAHostCallIsACallOfItsOwn) {
  TraceBuilder b;
  b.Runtime("cudaGraphLaunch", 0, 10, 1);
  b.Kernel("ncclDevKernel_AllGather_RING_LL(x)", 20, 30, 1);
  b.Kernel("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)", 40, 50, 1);
  b.Kernel("gemm", 30, 40, 1);
  const auto calls = Find(b);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].kind, CollectiveKind::kAllGather);
  EXPECT_EQ(calls[1].kind, CollectiveKind::kReduceScatter);
  EXPECT_EQ(calls[1].issued_ns, 0);
  EXPECT_EQ(MessageBytes(calls[0]), std::nullopt);
}

TEST(Collectives, AGlooRangeIsTheCommunicationAndItsDimensionsAreItsSize) {
  TraceBuilder b;
  b.Operator("c10d::allreduce_", 0, 10);
  const SpanRow range = b.Annotation("gloo:all_reduce", 5, 500, 2);
  b.OperatorDetailOf(range).input_dims = b.Text("[[3,5],[]]");
  b.OperatorDetailOf(range).input_types = b.Text(R"(["float","float"])");
  const auto calls = Find(b);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].time, (Interval{5, 500}));
  EXPECT_EQ(calls[0].in_elements, 16);
  EXPECT_EQ(MessageBytes(calls[0]), 64);
}

TEST(Collectives, NcclRangesWithoutAnyKernelHaveNoTime) {
  TraceBuilder b;
  b.Annotation("nccl:all_to_all", 0, 10);
  const auto calls = Find(b);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].time, std::nullopt);
  b.Kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)", 5, 50);
  EXPECT_EQ(Find(b).size(), 1u);
  EXPECT_TRUE(Find(b)[0].on_device);
}

TEST(Collectives, MessageIsTheLargerSideAndAnAllGathersInputCountsForEachMember) {
  CollectiveCall call;
  call.kind = CollectiveKind::kAllGather;
  call.dtype = "Half";
  call.in_elements = 10;
  EXPECT_EQ(MessageBytes(call), std::nullopt);
  call.group_size = 8;
  EXPECT_EQ(MessageBytes(call), 160);
  call.out_elements = 70;
  EXPECT_EQ(MessageBytes(call), 140);
  call.in_elements = INT64_MAX;
  EXPECT_EQ(MessageBytes(call), std::nullopt);
}

TEST(Collectives, BusFactorsFollowTheUsualConventions) {
  EXPECT_DOUBLE_EQ(*BusFactor(CollectiveKind::kAllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(*BusFactor(CollectiveKind::kAllGather, 8), 0.875);
  EXPECT_DOUBLE_EQ(*BusFactor(CollectiveKind::kBroadcast, 8), 1);
  EXPECT_EQ(BusFactor(CollectiveKind::kBarrier, 8), std::nullopt);
  EXPECT_EQ(BusFactor(CollectiveKind::kAllReduce, kNoInt), std::nullopt);
}

}  // namespace
}  // namespace telltale
