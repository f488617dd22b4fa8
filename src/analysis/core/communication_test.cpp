// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/communication.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(Communication, KnowsDeviceKernelsOfEveryGeneration) {
  for (const char* name :
       {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
        "ncclDevKernel_ReduceScatter_Sum_bf16", "ncclSymkDevKernel_AllReduce_RSxLD",
        "void ncclKernel(int)", "_Z38ncclDevKernel_AllGather_RING_LL24", "rcclGenericKernel",
        "mscclKernel_Sum_half_LL", "hcclAllReduce", "oneccl_allreduce_kernel", "NCCL_KERNEL",
        "myNcclKernel", "nccl_all_gather"}) {
    EXPECT_TRUE(IsCommunicationKernel(name)) << name;
  }
}

TEST(Communication, IgnoresLettersInsideOtherWords) {
  for (const char* name : {"cutlass::arch::syncCluster", "PipelineAsyncCLC", "ASYNCCLC",
                           "volta_sgemm_128x64_nn", "", "ncc", "n"}) {
    EXPECT_FALSE(IsCommunicationKernel(name)) << name;
  }
}

TEST(Communication, FindsASecondOccurrenceAfterAFalseOne) {
  EXPECT_TRUE(IsCommunicationKernel("syncCluster_ncclKernel"));
}

TEST(Communication, KnowsHostRangesByPrefix) {
  EXPECT_TRUE(IsCommunicationRange("nccl:all_reduce"));
  EXPECT_TRUE(IsCommunicationRange("c10d::allreduce_"));
  EXPECT_TRUE(IsCommunicationRange("gloo:broadcast"));
  EXPECT_FALSE(IsCommunicationRange("my nccl:all_reduce"));
  EXPECT_FALSE(IsCommunicationRange("c10d:allreduce"));
}

TEST(Communication, KnowsDataLoaderRanges) {
  EXPECT_TRUE(IsDataLoaderRange("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"));
  EXPECT_TRUE(IsDataLoaderRange("enumerate(DataPipe)#Mapper"));
  EXPECT_FALSE(IsDataLoaderRange("enumerate(DataLoader)"));
}

}  // namespace
}  // namespace telltale
