// SPDX-License-Identifier: Apache-2.0
// What to do about a cause depends on what it is: one case for each remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "health/cause_words.h"
#include "health/rules.h"

namespace telltale::health {
namespace {

using testing::HasSubstr;

struct Case {
  CauseKind kind;
  std::string what;
  std::string inside;
  std::string remedy;  // a part of it
};

Cause Named(CauseKind kind, std::string what) {
  Cause cause;
  cause.kind = kind;
  cause.what = std::move(what);
  return cause;
}

std::string RemedyFor(const Cause& cause, bool on_amd = false, bool training = true) {
  CausesReport report;
  report.has_device = true;
  for (const Rule& rule : AllRules()) {
    if (rule.id == RuleOf(cause.kind))
      return rule.remedy({cause, report, {}, {}, on_amd, training});
  }
  return "no rule";
}

TEST(CauseRules, EveryKindThatCanBeACauseHasOne) {
  for (size_t kind = 0; kind < kCauseKindCount; ++kind) {
    const auto cause = static_cast<CauseKind>(kind);
    if (cause == CauseKind::kWork) continue;
    EXPECT_NE(RemedyFor(Named(cause, "x")), "no rule") << RuleOf(cause);
  }
}

TEST(CauseRules, TheRemedyFitsTheCause) {
  const Case cases[] = {
      {CauseKind::kDataLoading, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "",
       "num_workers=0"},
      {CauseKind::kDataLoading, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "",
       "Raise num_workers"},
      {CauseKind::kAllocation, "hipFree", "", "empty_cache"},
      {CauseKind::kAllocation, "cudaMalloc", "", "expandable_segments"},
      {CauseKind::kAllocation, "cudaHostAlloc", "", "Pinned memory"},
      {CauseKind::kSynchronization, "cudaStreamSynchronize", "aten::_local_scalar_dense",
       ".item()"},
      {CauseKind::kSynchronization, "cudaStreamSynchronize", "aten::nonzero", "torch.where"},
      {CauseKind::kSynchronization, "cudaDeviceSynchronize", "", "torch.cuda.synchronize()"},
      {CauseKind::kRuntimeCall, "cudaLaunchKernel", "", "CUDA_MODULE_LOADING"},
      {CauseKind::kRuntimeCall, "cudaStreamCreate", "", "before the loop"},
      {CauseKind::kHostCode, "", "", "with_stack=True"},
      {CauseKind::kHostCode, "save_checkpoint", "", "another thread"},
      {CauseKind::kHostCode, "Optimizer.step#Adam.step", "", "fused=True"},
      {CauseKind::kCopy, "Memcpy HtoD (Pageable -> Device)", "", "pin_memory"},
      {CauseKind::kCopy, "Memcpy HtoD (Pinned -> Device)", "", "non_blocking"},
  };
  for (const Case& test : cases) {
    Cause cause = Named(test.kind, test.what);
    cause.inside = test.inside;
    EXPECT_THAT(RemedyFor(cause), HasSubstr(test.remedy)) << test.what;
  }
}

TEST(CauseRules, NameWhatTheDeviceHasAndTheProgramDoes) {
  const Cause cause = Named(CauseKind::kLaunchOverhead, "");
  EXPECT_THAT(RemedyFor(cause, true), HasSubstr("HIP graphs"));
  EXPECT_THAT(RemedyFor(cause, false), HasSubstr("CUDA graphs"));
  EXPECT_THAT(RemedyFor(cause, false, true), HasSubstr("if training allows"));
  EXPECT_THAT(RemedyFor(cause, false, false), HasSubstr("batches of requests"));
}

TEST(CauseWords, NameTheThingItsPlaceAndItsRank) {
  CausesReport report;
  report.regions = 2;
  const std::vector<std::string> labels = {"rank 0", "rank 1"};
  Cause cause = Named(CauseKind::kAllocation, "hipFree");
  cause.calls = 2720;
  cause.inside = "empty_cache";
  cause.called_from = "train.py(81): save";
  EXPECT_EQ(WhatOf(cause, labels), "hipFree");
  EXPECT_EQ(PhraseOf(cause, labels), "hipFree");
  EXPECT_EQ(DetailOf(cause, report), "1,360 calls, in empty_cache, from save (train.py:81)");
  cause.file = 1;
  EXPECT_EQ(WhatOf(cause, labels), "hipFree on rank 1");

  cause = Named(CauseKind::kHostCode, "train.py(81): save");
  EXPECT_EQ(WhatOf(cause, labels), "train.py(81): save");
  EXPECT_EQ(PhraseOf(cause, labels), "save (train.py:81)");
  cause.calls = 1;
  cause.pieces = 3;
  EXPECT_EQ(PhraseOf(cause, labels), "the host code between operators in save (train.py:81)");

  cause = Named(CauseKind::kLateRank, "");
  cause.file = 1;
  EXPECT_EQ(WhatOf(cause, labels), "rank 1");
  EXPECT_EQ(PhraseOf(cause, labels), "waiting for rank 1");
}

}  // namespace
}  // namespace telltale::health
