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
using testing::Not;

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

std::string RemedyFor(const Cause& cause, bool on_amd = false, bool training = true,
                      bool joined = false) {
  CausesReport report;
  report.has_device = true;
  report.joined = joined;
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
      {CauseKind::kHostCode, "## Call CompiledFxGraph fp5r ##", "", "one graph"},
      {CauseKind::kAllocation, "hipFree", "", "empty_cache"},
      {CauseKind::kRuntimeCall, "cudaMemcpyAsync", "aten::copy_", "non_blocking=True"},
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

TEST(CauseRules, OneLongFreeIsAFirstUse) {
  Cause cause = Named(CauseKind::kAllocation, "cudaFree");
  cause.most_saving_ns = 1'000'000'000;
  cause.example_duration_ns = 980'000'000;
  cause.worst_region = "3";
  EXPECT_THAT(RemedyFor(cause), HasSubstr("warm up"));
  cause.example_duration_ns = 1'000'000;
  EXPECT_THAT(RemedyFor(cause), Not(HasSubstr("warm up")));
}

TEST(CauseRules, OneLongCallIsAFirstUse) {
  Cause cause = Named(CauseKind::kRuntimeCall, "cudaDeviceGetStreamPriorityRange");
  cause.most_saving_ns = 1'000'000'000;
  cause.example_duration_ns = 980'000'000;
  cause.worst_region = "3";
  EXPECT_THAT(RemedyFor(cause), HasSubstr("warm up"));
  cause.example_duration_ns = 1'000'000;
  EXPECT_THAT(RemedyFor(cause), Not(HasSubstr("warm up")));
}

TEST(CauseRules, AFusedOptimizerNeedNotBeFused) {
  EXPECT_THAT(RemedyFor(Named(CauseKind::kHostCode, "Optimizer.step#FusedAdam.step")),
              Not(HasSubstr("fused=True")));
}

TEST(CauseRules, SmallOperatorsHoldMoreThanTheSaving) {
  Cause cause = Named(CauseKind::kLaunchOverhead, "");
  cause.on_host = true;
  EXPECT_THAT(RemedyFor(cause), HasSubstr("on top of the saving"));
}

TEST(CauseRules, AnOperatorThatLaunchesIsOnTheDeviceAlready) {
  Cause cause = Named(CauseKind::kHostOperator, "aten::addmm");
  EXPECT_THAT(RemedyFor(cause), HasSubstr("move its tensors"));
  cause.launches = true;
  EXPECT_THAT(RemedyFor(cause), Not(HasSubstr("move its tensors")));
}

// Names that have remedies of their own.
std::vector<Cause> OfEveryKind() {
  std::vector<Cause> causes;
  for (size_t kind = 0; kind < kCauseKindCount; ++kind) {
    if (static_cast<CauseKind>(kind) == CauseKind::kWork) continue;
    for (const char* what : {"", "hipFree", "hipMalloc", "hipHostMalloc", "hipLaunchKernel",
                             "Memcpy HtoD (Pageable -> Device)", "x"}) {
      causes.push_back(Named(static_cast<CauseKind>(kind), what));
    }
  }
  causes.push_back(Named(CauseKind::kLaunchOverhead, ""));
  causes.back().on_host = true;
  return causes;
}

TEST(CauseRules, SpeakOfTrainingOnlyWhereThereIsOne) {
  for (const Cause& cause : OfEveryKind()) {
    for (const bool joined : {false, true}) {
      const std::string remedy = RemedyFor(cause, false, false, joined);
      for (const char* word : {"gradient", "optimizer", "convergence", "checkpoint", "training"}) {
        EXPECT_THAT(remedy, Not(HasSubstr(word))) << RuleOf(cause.kind) << " " << cause.what;
      }
    }
  }
}

TEST(CauseRules, SpeakOfNothingThatAmdDoesNotHave) {
  for (const Cause& cause : OfEveryKind()) {
    const std::string remedy = RemedyFor(cause, true);
    for (const char* word : {"CUDA", "expandable_segments", "enable_cuda_sync_events"}) {
      EXPECT_THAT(remedy, Not(HasSubstr(word))) << RuleOf(cause.kind) << " " << cause.what;
    }
  }
}

// Of the model itself nothing can be moved out of the loop.
TEST(CauseRules, CodeBetweenManyOperatorsIsNotToBeMoved) {
  Cause cause = Named(CauseKind::kHostCode, "model_forward");
  cause.calls = 1;
  EXPECT_THAT(RemedyFor(cause), HasSubstr("out of the loop"));
  cause.pieces = 300;
  EXPECT_THAT(RemedyFor(cause), Not(HasSubstr("out of the loop")));
  EXPECT_THAT(RemedyFor(cause), HasSubstr("torch.compile"));
}

TEST(CauseWords, NameTheSlowStepAndWhatItHasMoreOf) {
  Cause cause = Named(CauseKind::kSlowSteps, "aten::sort");
  cause.worst_region = "7";
  cause.calls = 1;
  cause.more_ns = 30'100'000;
  EXPECT_EQ(WhatOf(cause, {}), "aten::sort in step 7");
  EXPECT_EQ(PhraseOf(cause, {}), "the one slow step");
  EXPECT_EQ(DetailOf(cause, {}), "step 7: 30.1 ms more in aten::sort than a typical one");
}

TEST(CauseWords, SayWhatIsCalledOneByOne) {
  Cause cause = Named(CauseKind::kLaunchOverhead, "");
  cause.calls = 1200;
  EXPECT_EQ(WhatOf(cause, {}), "launch overhead");
  EXPECT_EQ(DetailOf(cause, {}), "1,200 kernels and copies");
  cause.on_host = true;
  EXPECT_EQ(WhatOf(cause, {}), "host overhead of small operators");
  EXPECT_EQ(DetailOf(cause, {}), "1,200 operators");
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
