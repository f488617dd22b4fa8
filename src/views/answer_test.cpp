// SPDX-License-Identifier: Apache-2.0
#include "views/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "views/sample_profile.h"

namespace telltale {
namespace {

using testing::EndsWith;

// Two equal complete steps with the given times (µs).
Profile WithSteps(const StepTimes& times_us, bool device, bool host = true) {
  Profile profile;
  profile.files.push_back(SampleFile("trace.json", device));
  profile.files[0].has_host_events = host;
  profile.report.steps.source = StepSource::kProfilerStep;
  profile.report.steps.rows = {SampleStep("1", times_us), SampleStep("2", times_us)};
  SetAverages(profile.report.steps);
  return profile;
}

TEST(SharePhrase, UsesWordsForPlainFractions) {
  EXPECT_EQ(SharePhrase(0.333), "a third");
  EXPECT_EQ(SharePhrase(0.5), "half");
  EXPECT_EQ(SharePhrase(0.25), "a quarter");
  EXPECT_EQ(SharePhrase(0.667), "two thirds");
  EXPECT_EQ(SharePhrase(0.745), "three quarters");
  EXPECT_EQ(SharePhrase(0.998), "all of it");
  EXPECT_EQ(SharePhrase(0.36), "36 %");
  EXPECT_EQ(SharePhrase(0.001), "<1 %");
}

TEST(Answer, NamesWhatTheGpuWaitsFor) {
  EXPECT_EQ(Answer(WithSteps({97'680, 0, 0, 0, 4'000, 59'200, 14'720, 2'000}, true)),
            "A step takes 177.6 ms: 55 % computing on the GPU, a third waiting for the DataLoader "
            "(59.2 ms).");
}

TEST(Answer, NamesTwoCausesWhereBothMatter) {
  Profile profile = WithSteps({40'000, 0, 0, 30'000, 0, 0, 0, 30'000}, true);
  profile.report.operators = {SampleOperator("aten::mm", 1, 1, 1)};
  EXPECT_EQ(Answer(profile),
            "A step takes 100.0 ms: 40 % computing on the GPU, 30 % in communication (30.0 ms), 30 "
            "% outside any "
            "traced operator (30.0 ms).");
  profile.report.operators.clear();
  EXPECT_THAT(Answer(profile), EndsWith("30 % in which nothing was traced (30.0 ms)."));
}

TEST(Answer, EachCategoryHasItsWords) {
  EXPECT_EQ(Answer(WithSteps({50'000, 40'000, 10'000, 0, 0, 0, 0, 0}, true)),
            "A step takes 100.0 ms: half computing on the GPU, half copying memory (50.0 ms).");
  EXPECT_EQ(
      Answer(WithSteps({60'000, 0, 0, 0, 40'000, 0, 0, 0}, true)),
      "A step takes 100.0 ms: 60 % computing on the GPU, 40 % in GPU runtime calls (40.0 ms).");
  EXPECT_EQ(Answer(WithSteps({60'000, 0, 0, 0, 0, 0, 40'000, 0}, true)),
            "A step takes 100.0 ms: 60 % computing on the GPU, 40 % in CPU operators while the GPU "
            "waits (40.0 ms).");
}

TEST(Answer, SmallCausesAreNamedOnlyIfNothingElseIs) {
  EXPECT_EQ(Answer(WithSteps({89'000, 0, 0, 0, 3'000, 0, 5'000, 3'000}, true)),
            "A step takes 100.0 ms: 89 % computing on the GPU, 5 % in CPU operators while the GPU "
            "waits (5.00 ms).");
}

TEST(Answer, AGpuThatIsBusyNeedsFasterKernels) {
  Profile profile = WithSteps({97'000, 0, 0, 0, 0, 0, 3'000, 0}, true);
  EXPECT_EQ(
      Answer(profile),
      "A step takes 100.0 ms, and the GPU computes 97 % of it: nothing else costs 5 %, so that "
      "more speed has to come from the kernels.");
  profile.report.operators = {SampleOperator("aten::mm", 10, 10, 600),
                              SampleOperator("aten::add", 10, 10, 400),
                              SampleOperator("ProfilerStep#1", 1, 1, 0, OperatorKind::kAnnotation)};
  EXPECT_EQ(
      Answer(profile),
      "A step takes 100.0 ms, and the GPU computes 97 % of it: nothing else costs 5 %, so that "
      "more speed has to come from the kernels (aten::mm "
      "has 60 % of the kernels' time).");
}

TEST(Answer, CpuOnlyTracesSpeakOfOperators) {
  Profile profile = WithSteps({0, 0, 0, 0, 0, 6'440, 11'060, 0}, false);
  profile.report.operators = {SampleOperator("aten::copy_", 1, 900, 0),
                              SampleOperator("aten::mm", 1, 800, 0)};
  EXPECT_EQ(Answer(profile),
            "A step takes 17.5 ms: 63 % in operators (11.1 ms), 37 % waiting for the DataLoader "
            "(6.44 ms); of the "
            "operators' time aten::copy_ has the most (53 %).");
}

TEST(Answer, TheDataLoaderIsNoExpensiveOperator) {
  Profile profile = WithSteps({0, 0, 0, 0, 0, 6'440, 11'060, 0}, false);
  profile.report.operators = {
      SampleOperator("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 9000, 0),
      SampleOperator("ProfilerStep#1", 1, 4000, 0), SampleOperator("aten::mm", 1, 6000, 0),
      SampleOperator("aten::add", 1, 1000, 0)};
  EXPECT_THAT(Answer(profile), EndsWith("of the operators' time aten::mm has the most (38 %)."));
}

Cause Saves(CauseKind kind, std::string what, int64_t saving_ns, int64_t step_ns) {
  Cause cause;
  cause.kind = kind;
  cause.what = std::move(what);
  cause.saving_ns = saving_ns;
  cause.share = static_cast<double>(saving_ns) / static_cast<double>(step_ns);
  return cause;
}

TEST(Answer, NamesTheFirstCausesAndWhatIsLeft) {
  Profile profile = WithSteps({20'000, 0, 0, 0, 60'000, 0, 20'000, 0}, true);
  profile.causes.average_ns = 100 * kMilli;
  profile.causes.regions = 2;
  profile.causes.causes = {
      Saves(CauseKind::kAllocation, "hipFree", 60 * kMilli, 100 * kMilli),
      Saves(CauseKind::kHostCode, "train.py(81): save", 20 * kMilli, 100 * kMilli),
      Saves(CauseKind::kCopy, "Memcpy HtoD", 3 * kMilli, 100 * kMilli)};
  profile.causes.causes[0].calls = 2'720;
  profile.causes.causes[0].inside = "empty_cache";
  profile.causes.causes[0].left_ns = 40 * kMilli;
  profile.causes.causes[1].left_ns = 25 * kMilli;
  EXPECT_EQ(Answer(profile),
            "A step takes 100.0 ms; without hipFree (1,360 calls, in empty_cache) it would take "
            "40.0 ms, and without save (train.py:81) as well 25.0 ms.");
  profile.causes.causes[1].share = 0.04;
  EXPECT_EQ(Answer(profile),
            "A step takes 100.0 ms; without hipFree (1,360 calls, in empty_cache) it would take "
            "40.0 ms.");
}

TEST(Answer, SaysWhatOneRankCannotTell) {
  Profile profile = WithSteps({20'000, 0, 0, 80'000, 0, 0, 0, 0}, true);
  profile.causes.average_ns = 100 * kMilli;
  Cause collective;
  collective.kind = CauseKind::kCommunication;
  collective.what = "gloo:all_reduce";
  collective.path_ns = 80 * kMilli;
  collective.share = 0.8;
  profile.causes.causes = {collective};
  EXPECT_EQ(Answer(profile),
            "A step takes 100.0 ms: 80.0 ms (80 %) are in gloo:all_reduce, which one rank's trace "
            "cannot tell from waiting for other ranks.");
}

TEST(Answer, ACauseBelowATwentiethLeavesTheSentenceToTheDevice) {
  Profile profile = WithSteps({97'000, 0, 0, 0, 3'000, 0, 0, 0}, true);
  profile.causes.causes = {Saves(CauseKind::kCopy, "Memcpy HtoD", 3 * kMilli, 100 * kMilli)};
  EXPECT_THAT(Answer(profile), testing::HasSubstr("the GPU computes 97 % of it"));
}

TEST(Answer, SaysWhatBoundsTheKernelsWhereItIsKnown) {
  Profile profile = WithSteps({97'000, 0, 0, 0, 3'000, 0, 0, 0}, true);
  profile.bound = WorkBound{RooflineBound::kMemory, 0.62, 0.71};
  EXPECT_THAT(Answer(profile),
              EndsWith("the kernels; memory bandwidth bounds 62 % of their time, at 71 % of its "
                       "roof."));
}

TEST(Answer, WithoutStepsItSpeaksOfTheTrace) {
  EXPECT_EQ(Answer(SampleCpuProfile()),
            "The trace covers 1.00 s (no steps are marked): 90 % in operators (900.0 ms), 10 % "
            "outside any traced "
            "operator (100.0 ms); of the operators' time aten::mkldnn_convolution has the "
            "most (67 %).");
}

TEST(Answer, OneStepIsSaidToBeOne) {
  Profile profile = WithSteps({50'000, 0, 0, 0, 0, 50'000, 0, 0}, true);
  profile.report.steps.rows.pop_back();
  EXPECT_EQ(Answer(profile),
            "The one recorded step takes 100.0 ms: half computing on the GPU, half waiting for the "
            "DataLoader "
            "(50.0 ms).");
}

TEST(Answer, IncompleteStepsDoNotCountUnlessThereIsNothingElse) {
  Profile profile = WithSteps({50'000, 0, 0, 0, 0, 50'000, 0, 0}, true);
  profile.report.steps.rows.push_back(SampleStep("3", {1'000, 0, 0, 0, 0, 0, 0, 0}, 0, false));
  EXPECT_EQ(Answer(profile),
            "A step takes 100.0 ms: half computing on the GPU, half waiting for the DataLoader "
            "(50.0 ms).");
  for (StepRow& row : profile.report.steps.rows) row.complete = false;
  EXPECT_EQ(Answer(profile).substr(0, 21), "A step takes 67.0 ms:");
}

TEST(Answer, WithoutHostEventsItSaysWhatIsUnknown) {
  EXPECT_EQ(Answer(WithSteps({82'000, 0, 0, 0, 0, 0, 0, 18'000}, true, false)),
            "A step takes 100.0 ms: 82 % computing on the GPU; without host events nothing says "
            "what it waits for.");
}

TEST(Answer, SeveralRanksNameTheSlowest) {
  Profile profile;
  for (int64_t rank = 0; rank < 3; ++rank) {
    profile.files.push_back(SampleFile("rank.json", true, rank));
    const int64_t slow = rank == 2 ? 2 : 1;
    profile.report.steps.rows.push_back(SampleStep(
        "5", {50'000 * slow, 0, 0, 50'000 * slow, 0, 0, 0, 0}, static_cast<uint32_t>(rank)));
  }
  profile.report.steps.source = StepSource::kProfilerStep;
  SetAverages(profile.report.steps);
  EXPECT_EQ(Answer(profile),
            "A step takes 133.3 ms on average over 3 ranks (rank 2 is the slowest: 200.0 ms): half "
            "computing on the "
            "GPU, half in communication (66.7 ms).");
}

TEST(Answer, FilesWithoutRanksAreFiles) {
  Profile profile = WithSteps({50'000, 0, 0, 0, 0, 50'000, 0, 0}, true);
  profile.files.push_back(SampleFile("b.json", true));
  profile.report.steps.rows[1].file = 1;
  EXPECT_EQ(Answer(profile),
            "A step takes 100.0 ms on average over 2 files: half computing on the GPU, half "
            "waiting for the "
            "DataLoader (50.0 ms).");
}

TEST(Answer, OtherDevicesAreNotCalledGpu) {
  Profile profile = WithSteps({50'000, 0, 0, 0, 50'000, 0, 0, 0}, true);
  DeviceRow device;
  device.type = "mtia";
  profile.report.devices = {device};
  EXPECT_EQ(Answer(profile),
            "A step takes 100.0 ms: half computing on the accelerator, half in accelerator runtime "
            "calls (50.0 ms).");
}

TEST(Answer, NothingUsable) {
  Profile profile;
  profile.files.push_back(SampleFile("trace.json", false));
  profile.files[0].has_host_events = false;
  EXPECT_EQ(Answer(profile),
            "The trace holds 75,718 events, but no operator, annotation, runtime call or kernel "
            "among them: there is "
            "nothing to measure.");
  profile.files[0].source.events = 0;
  EXPECT_EQ(Answer(profile), "The trace holds no events: there is nothing to measure.");
}

TEST(Answer, ZeroTimeIsSaidPlainly) {
  EXPECT_EQ(Answer(WithSteps({}, false)), "A step takes 0 ns.");
}

TEST(Answer, NamesFromTheFileAreMadeSafe) {
  Profile profile = WithSteps({0, 0, 0, 0, 0, 0, 1'000, 0}, false);
  profile.report.operators = {SampleOperator("evil\x1b[2J", 1, 900, 0)};
  EXPECT_EQ(Answer(profile).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace telltale
