// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "views/render/document.h"
#include "views/sample_profile.h"
#include "views/sample_views.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;

Profile ProfileOf(std::vector<OperatorRow> rows) {
  Profile profile;
  profile.files.push_back(SampleFile("trace.json", false));
  profile.report.operators = std::move(rows);
  return profile;
}

std::string TextOf(const Profile& profile) {
  const SampleViews views(profile, "operators");
  return DocumentText(*views.built().Find("operators"), std::nullopt, {});
}

TEST(OperatorsView, AnAnnotationThatLaunchesWorkStandsAmongTheOperators) {
  const std::string text = TextOf(
      ProfileOf({SampleOperator("## Call CompiledFxGraph", 3, 10, 600, OperatorKind::kAnnotation),
                 SampleOperator("aten::mm", 3, 50, 400),
                 SampleOperator("train", 3, 9'000, 0, OperatorKind::kAnnotation)}));
  EXPECT_THAT(text, HasSubstr(": 60 % of it in ## Call CompiledFxGraph, 40 % in aten::mm."));
  EXPECT_THAT(text, HasSubstr("60.0 %"));  // the same share in the table
  EXPECT_THAT(text, Not(HasSubstr("train")));
  EXPECT_THAT(text, HasSubstr("annotations: --view annotations"));
}

TEST(OperatorsView, TimesOfNamesAreNoPartOfTheWhole) {
  const std::string text =
      TextOf(ProfileOf({SampleOperator("train", 3, 9'000, 0, OperatorKind::kAnnotation),
                        SampleOperator("aten::mm", 3, 75, 0), SampleOperator("aten::add", 3, 25, 0),
                        SampleOperator("ProfilerStep#1", 1, 5'000, 0)}));
  EXPECT_THAT(text, HasSubstr(": 75 % of it in aten::mm, 25 % in aten::add."));
  EXPECT_THAT(text, HasSubstr("75.0 %"));
}

TEST(OperatorsView, AnnotationsAloneAreShown) {
  EXPECT_THAT(TextOf(ProfileOf({SampleOperator("train", 3, 9, 0, OperatorKind::kAnnotation)})),
              HasSubstr("train"));
}

}  // namespace
}  // namespace telltale
