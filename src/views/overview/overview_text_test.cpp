// SPDX-License-Identifier: Apache-2.0
#include "views/overview/overview_text.h"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "views/capture_gaps.h"
#include "views/render/display.h"
#include "views/sample_profile.h"
#include "views/sample_views.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Profile SampleRanks() {
  Profile profile = SampleGpuProfile();
  profile.files.push_back(SampleFile("rank1.json", true, 1));
  profile.files[0].source.rank = 0;
  for (StepRow row : std::vector(profile.report.steps.rows)) {
    row.file = 1;
    profile.report.steps.rows.push_back(row);
  }
  return profile;
}

std::string Text(const Profile& profile, std::string_view view, const OutputStyle& style,
                 std::optional<int64_t> limit = std::nullopt) {
  const SampleViews views(profile, view);
  return ProfileText(views.profile(), views.built(), limit, style);
}

// Those that show what a profile made by hand holds.
std::vector<std::string_view> BasicViews() {
  std::vector<std::string_view> names = {"overview", "diagnostics"};
  for (const ViewSpec& spec : Views()) {
    if (spec.scope == ViewScope::kBasic) names.push_back(spec.name);
  }
  return names;
}

TEST(ProfileText, NoLineIsWiderThanAsked) {
  for (const Profile& profile :
       {SampleGpuProfile(), SampleCpuProfile(), SampleRanks(), Profile()}) {
    for (const std::string_view name : BasicViews()) {
      for (const size_t width :
           std::vector<size_t>{40, 41, 53, 60, 79, 80, 100, 119, 120, 160, 200}) {
        for (const bool unicode : {true, false}) {
          std::istringstream lines(Text(profile, name, {.width = width, .unicode = unicode}));
          for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(DisplayWidth(line), width) << name << "\n" << line;
            EXPECT_FALSE(line.ends_with(' ')) << line;
          }
        }
      }
    }
  }
}

TEST(ProfileText, AnswersFirstThenShows) {
  const std::string text = Text(SampleGpuProfile(), "overview", {.width = 120});
  EXPECT_THAT(text, StartsWith("A step takes 178.1 ms: "));
  size_t at = 0;
  for (const char* title : {"\nStep  ", "\nDevices\n", "\nOperators  ", "\nKernels  ",
                            "\nCopies and sets  ", "\nWhat to try\n", "\nAbout this capture  "}) {
    const size_t found = text.find(title, at);
    ASSERT_NE(found, std::string::npos) << title;
    at = found;
  }
}

TEST(ProfileText, LeavesAnnotationsToTheirView) {
  for (const char* view : {"overview", "operators"}) {
    EXPECT_THAT(Text(SampleGpuProfile(), view, {.width = 160}), Not(HasSubstr("ProfilerStep#10")));
  }
}

TEST(ProfileText, MarksTheSlowestAndTheIncompleteStep) {
  const std::string text = Text(SampleGpuProfile(), "overview", {.width = 120});
  std::istringstream lines(text);
  std::string slowest;
  std::string incomplete;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("slowest")) slowest = line;
    if (line.ends_with("incomplete")) incomplete = line;
  }
  EXPECT_THAT(slowest, StartsWith("  12"));
  EXPECT_THAT(incomplete, StartsWith("  13"));
}

TEST(ProfileText, ManyStepsBecomeASentence) {
  Profile profile = SampleGpuProfile();
  while (profile.report.steps.rows.size() < 30) {
    profile.report.steps.rows.push_back(SampleStep(
        "9" + std::to_string(profile.report.steps.rows.size()), {100'000, 0, 0, 0, 0, 0, 0, 0}));
  }
  EXPECT_THAT(Text(profile, "overview", {.width = 200}),
              HasSubstr("29 complete steps: the fastest 100.0 ms (94), the median 100.0 ms, the "
                        "slowest 183.9 ms (12); "
                        "--view steps lists them."));
}

TEST(ProfileText, LosesNothingSilently) {
  const std::string text = Text(SampleGpuProfile(), "overview", {.width = 120}, 1);
  EXPECT_THAT(text, HasSubstr("1 of 5"));
  EXPECT_THAT(text, HasSubstr("truncated"));
  EXPECT_THAT(text, HasSubstr("partial_overlap"));
  EXPECT_THAT(text, HasSubstr("byte 35,154,637"));
  EXPECT_LT(text.find("truncated"), text.find("partial_overlap"));
}

TEST(ProfileText, EveryViewSaysThatSomethingIsMissing) {
  Profile profile = SampleGpuProfile();
  for (const std::string_view view :
       {"steps", "devices", "operators", "kernels", "copies", "recommendations"}) {
    EXPECT_THAT(
        Text(profile, view, {}),
        HasSubstr("\nParts of the trace could not be used: 1 truncated, 3 partial_overlap (--view "
                  "diagnostics explains)\n"));
  }
  profile.diagnostics.pop_back();
  EXPECT_THAT(Text(profile, "steps", {}), HasSubstr("About the data: 3 partial_overlap"));
  profile.diagnostics.clear();
  EXPECT_THAT(Text(profile, "steps", {}), Not(HasSubstr("diagnostics")));
}

TEST(SummaryOfDiagnostics, CountsOverFilesAndBySeverity) {
  Profile profile = SampleGpuProfile();
  profile.diagnostics.push_back(profile.diagnostics[1]);
  EXPECT_EQ(SummaryOfDiagnostics(profile, Severity::kLoss), "2 truncated");
  EXPECT_EQ(SummaryOfDiagnostics(profile, Severity::kInfo), "2 truncated, 3 partial_overlap");
  EXPECT_EQ(SummaryOfDiagnostics(profile, Severity::kError), "");
}

TEST(ProfileText, SaysWhatTheCaptureLacksAndWhatAddsIt) {
  Profile profile = SampleCpuProfile();
  profile.report.operators.push_back(profile.report.operators[0]);
  profile.report.operators.back().name = "Optimizer.step#SGD.step";
  EXPECT_THAT(
      Text(profile, "overview", {.width = 200}),
      HasSubstr("Not captured, with what would add it: GPU events (ProfilerActivity.CUDA in "
                "activities, if the "
                "run used a GPU), steps (prof.step() at the end of each iteration), input shapes "
                "(record_shapes=True)"));
}

TEST(ProfileText, EmptyViewsSayWhatIsMissing) {
  EXPECT_THAT(Text(SampleCpuProfile(), "kernels", {}), HasSubstr("ProfilerActivity.CUDA"));
  EXPECT_THAT(Text(SampleCpuProfile(), "devices", {}), HasSubstr("ProfilerActivity.CUDA"));
  EXPECT_THAT(Text(Profile(), "operators", {}), HasSubstr("ProfilerActivity.CPU"));
  EXPECT_THAT(Text(Profile(), "steps", {}), HasSubstr("no step"));
  EXPECT_THAT(Text(Profile(), "recommendations", {}), HasSubstr("No rule found"));
}

TEST(ProfileText, ColourOnlyWhereAsked) {
  EXPECT_THAT(Text(SampleGpuProfile(), "overview", {.color = false}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(Text(SampleGpuProfile(), "overview", {.color = true}), HasSubstr("\x1b[38;5;36m"));
}

TEST(ProfileText, AsciiIsAscii) {
  Profile profile = SampleGpuProfile();
  profile.report.kernels[0].name = "训练_kernel";
  for (const std::string_view name : BasicViews()) {
    const std::string text = Text(profile, name, {.unicode = false});
    for (const char c : text) ASSERT_LT(static_cast<unsigned char>(c), 0x80) << text;
  }
}

TEST(ProfileText, NamesCannotCommandTheTerminal) {
  Profile profile = SampleGpuProfile();
  const std::string evil = "x\x1b]0;title\x07\r\ny";
  profile.files[0].source.path = evil;
  profile.report.operators[0].name = evil;
  profile.report.kernels[0].name = evil;
  profile.report.kernels[0].op = evil;
  profile.report.copies[0].name = evil;
  profile.report.devices[0].name = evil;
  profile.report.steps.rows[0].name = evil;
  profile.recommendations[0].text = evil;
  profile.diagnostics[0].message = evil;
  for (const std::string_view name : BasicViews()) {
    const std::string text = Text(profile, name, {.width = 100});
    EXPECT_EQ(text.find_first_of("\x1b\x07\r"), std::string::npos) << name;
  }
}

TEST(ProfileText, RecommendationsShowTheirEvidence) {
  const std::string text = Text(SampleGpuProfile(), "recommendations", {.width = 100});
  EXPECT_THAT(text, HasSubstr("rule dataloader_wait: dataloader > 5 % of the step"));
  EXPECT_THAT(text, HasSubstr("dataloader_share: 36.1 %"));
  EXPECT_THAT(text, HasSubstr("dataloader_ns: 64.2 ms"));
  EXPECT_THAT(text, HasSubstr("worst_step: 12"));
}

TEST(ProfileText, SeveralRanksGetTheirTable) {
  const std::string text = Text(SampleRanks(), "overview", {.width = 120});
  EXPECT_THAT(text, HasSubstr("\nRanks  "));
  EXPECT_THAT(text, HasSubstr("\n  rank 1 "));
}

TEST(CaptureGaps, OnlyATrainingIsToldToMarkSteps) {
  const auto steps = [](const Profile& profile) {
    return std::ranges::count(CaptureGaps(profile), "steps", &CaptureGap::what);
  };
  Profile profile = SampleCpuProfile();
  for (OperatorRow& row : profile.report.operators) row.name = "aten::linear";
  EXPECT_EQ(steps(profile), 0);
  profile.report.operators[0].name = "autograd::engine::evaluate_function: MmBackward0";
  EXPECT_EQ(steps(profile), 1);
}

TEST(CaptureGaps, StepsAreNotNamedTwice) {
  Profile profile = SampleCpuProfile();
  profile.diagnostics.push_back(
      {Severity::kInfo, "no_steps", 1, std::nullopt, "no steps", ArtifactId{0}});
  for (const CaptureGap& gap : CaptureGaps(profile)) EXPECT_NE(gap.what, "steps");
}

}  // namespace
}  // namespace telltale
