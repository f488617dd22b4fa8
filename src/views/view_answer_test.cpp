// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "views/sample_profile.h"
#include "views/sample_views.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Says(const Profile& profile, std::string_view view) {
  return SampleViews(profile, view).built().Find(view)->Answer({});
}

Profile Empty() {
  Profile profile;
  profile.files.push_back(SampleFile("trace.json", false));
  return profile;
}

TEST(ViewAnswer, SaysWhatIsMissingAndHowToRecordIt) {
  const Profile profile = Empty();
  EXPECT_THAT(Says(profile, "operators"), HasSubstr("ProfilerActivity.CPU"));
  EXPECT_THAT(Says(profile, "kernels"), HasSubstr("ProfilerActivity.CUDA"));
  EXPECT_THAT(Says(profile, "devices"), HasSubstr("ProfilerActivity.CUDA"));
  EXPECT_EQ(Says(profile, "copies"), "No memory copies or sets in the trace.");
  EXPECT_EQ(Says(profile, "diagnostics"), "Everything in it could be used.");
  EXPECT_EQ(Says(profile, "recommendations"), "No rule found anything wrong with this run.");
  EXPECT_THAT(Says(profile, "steps"), HasSubstr("no step"));
}

TEST(ViewAnswer, NamesTheLargestRows) {
  Profile profile = Empty();
  profile.report.operators = {SampleOperator("aten::mm", 10, 50, 600),
                              SampleOperator("aten::add", 10, 100, 300),
                              SampleOperator("aten::copy_", 10, 10, 100),
                              SampleOperator("step", 1, 9'000, 0, OperatorKind::kAnnotation)};
  EXPECT_THAT(Says(profile, "operators"),
              HasSubstr(": 60 % of it in aten::mm, 30 % in aten::add, 10 % in aten::copy_."));
  profile.report.kernels = {SampleKernel("gemm", 3, 750), SampleKernel("nccl", 1, 250)};
  profile.report.kernels[0].tensor_core = true;
  profile.report.kernels[1].kind = KernelKind::kCommunication;
  EXPECT_THAT(Says(profile, "kernels"), HasSubstr("4 kernels ran for"));
  EXPECT_THAT(Says(profile, "kernels"),
              HasSubstr(": 75 % of it in gemm, 25 % in nccl; 75 % of their time is on tensor "
                        "cores, 25 % of their time is communication."));
}

TEST(ViewAnswer, NoWordOnTensorCoresWhereThereIsNothingForThem) {
  Profile profile = Empty();
  profile.report.operators = {SampleOperator("aten::add", 10, 50, 600)};
  profile.report.kernels = {SampleKernel("add", 3, 600)};
  EXPECT_EQ(Says(profile, "kernels"), "3 kernels ran for 600.0 µs: 100 % of it in add.");
  profile.report.operators[0].tensor_core_eligible = true;
  EXPECT_THAT(Says(profile, "kernels"), HasSubstr("; 0 % of their time is on tensor cores."));
}

TEST(ViewAnswer, APageNamesTheFirstCauseThatItIsAbout) {
  Profile profile = Empty();
  profile.report.operators = {SampleOperator("aten::mm", 10, 50, 600)};
  CopyRow copy;
  copy.name = "Memcpy HtoD (Pageable -> Device)";
  copy.total_ns = 1000;
  profile.report.copies = {copy};
  profile.causes.regions = 1;
  profile.causes.average_ns = 100'000'000;
  const auto cause = [&](CauseKind kind, const char* what, int64_t saving_ms) {
    Cause row;
    row.kind = kind;
    row.what = what;
    row.saving_ns = saving_ms * 1'000'000;
    row.share = static_cast<double>(saving_ms) / 100;
    profile.causes.causes.push_back(row);
  };
  cause(CauseKind::kDataLoading, "", 50);
  cause(CauseKind::kHostOperator, "aten::item", 20);
  cause(CauseKind::kCopy, "Memcpy HtoD (Pageable -> Device)", 1);
  EXPECT_THAT(Says(profile, "operators"),
              HasSubstr(". Without the host time of aten::item a step would take 80.0 ms instead "
                        "of 100.0 ms."));
  // One percent is not worth a word.
  EXPECT_THAT(Says(profile, "copies"), Not(HasSubstr("Without")));
}

TEST(ViewAnswer, ComparesSteps) {
  Profile profile = Empty();
  profile.report.steps.source = StepSource::kProfilerStep;
  profile.report.steps.rows = {SampleStep("1", {1'200}), SampleStep("2", {3'400}),
                               SampleStep("3", {2'300}), SampleStep("4", {100}, 0, false)};
  SetAverages(profile.report.steps);
  EXPECT_EQ(
      Says(profile, "steps"),
      "3 steps of 2.30 ms (median); the slowest, 2, takes 3.40 ms: 1.10 ms more than usual in "
      "kernels; 1 more incomplete.");
  profile.report.steps.rows = {SampleStep("1", {1'200}), SampleStep("2", {2'300}),
                               SampleStep("3", {2'350})};
  EXPECT_EQ(Says(profile, "steps"), "3 steps of 2.30 ms (median), from 1.20 ms to 2.35 ms.");
  profile.report.steps.rows = {SampleStep("1", {2'200}), SampleStep("2", {2'300}),
                               SampleStep("3", {2'300})};
  EXPECT_EQ(Says(profile, "steps"), "3 steps of 2.30 ms (median), all within 5 % of each other.");
}

TEST(ViewAnswer, OneNameIsSaidOnce) {
  Profile profile = Empty();
  profile.report.operators = {SampleOperator("aten::mm", 10, 50, 300),
                              SampleOperator("aten::add", 10, 100, 400),
                              SampleOperator("aten::mm", 10, 50, 300)};
  EXPECT_THAT(Says(profile, "operators"),
              HasSubstr(": 60 % of it in aten::mm, 40 % in aten::add."));
}

}  // namespace
}  // namespace telltale
