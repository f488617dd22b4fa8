// SPDX-License-Identifier: Apache-2.0
#include "views/steps/other_inside.h"

#include <gtest/gtest.h>

#include <utility>

namespace telltale {
namespace {

StepReport ReportOf(int64_t step_ns, std::vector<std::pair<std::string, int64_t>> parts) {
  StepReport steps;
  steps.average_ns = step_ns;
  for (auto& [what, ns] : parts) {
    OtherRow row;
    row.what = what;
    row.kind = what.find(".py") == std::string::npos ? OtherKind::kAnnotation : OtherKind::kPython;
    row.ns = ns;
    steps.other_inside.push_back(row);
    steps.average[static_cast<size_t>(StepCategory::kOther)] += ns;
  }
  return steps;
}

TEST(OtherWords, NamesTheLargestPartsAndTheRest) {
  EXPECT_EQ(OtherWords(ReportOf(10'000'000, {{"save_checkpoint", 3'000'000},
                                             {"/home/me/train.py(12): load", 2'000'000},
                                             {"log", 1'000'000},
                                             {"tail", 900'000}}),
                       {}),
            "save_checkpoint 3.00 ms, load (train.py:12) 2.00 ms, log 1.00 ms, the rest 900.0 µs");
  EXPECT_EQ(OtherWords(ReportOf(10'000, {{"all", 10'000}}), {}), "all 10.0 µs");
}

TEST(OtherWords, AreSilentBelowAHundredthOfTheStep) {
  EXPECT_EQ(OtherWords(ReportOf(10'000, {{"a", 99}}), {}), "");
  EXPECT_EQ(OtherWords(ReportOf(10'000, {}), {}), "");
}

TEST(OtherRows, LeaveOutWhatRoundsToNothing) {
  EXPECT_EQ(OtherRows(ReportOf(10, {{"a", 2}, {"b", 0}})).size(), 1U);
}

}  // namespace
}  // namespace telltale
