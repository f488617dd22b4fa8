// SPDX-License-Identifier: Apache-2.0
#include "views/profile_text.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "views/capture_gaps.h"
#include "views/render/display.h"
#include "views/sample_profile.h"

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

TEST(ProfileText, NoLineIsWiderThanAsked) {
  for (const Profile& profile :
       {SampleGpuProfile(), SampleCpuProfile(), SampleRanks(), Profile()}) {
    for (const std::string_view name : ViewNames()) {
      TextRequest request;
      request.view = *ViewNamed(name);
      for (const size_t width :
           std::vector<size_t>{40, 41, 53, 60, 79, 80, 100, 119, 120, 160, 200}) {
        for (const bool unicode : {true, false}) {
          std::istringstream lines(
              ProfileText(profile, request, {.width = width, .unicode = unicode}));
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
  const std::string text = ProfileText(SampleGpuProfile(), {}, {.width = 120});
  EXPECT_THAT(text, StartsWith("A step takes 178.1 ms: "));
  size_t at = 0;
  for (const char* title : {"\nStep  ", "\nDevices\n", "\nOperators  ", "\nKernels  ",
                            "\nCopies and sets  ", "\nWhat to try\n", "\nAbout this capture  "}) {
    const size_t found = text.find(title, at);
    ASSERT_NE(found, std::string::npos) << title;
    at = found;
  }
}

TEST(ProfileText, LeavesAnnotationsToTheOperatorView) {
  EXPECT_THAT(ProfileText(SampleGpuProfile(), {}, {}), Not(HasSubstr("ProfilerStep#10")));
  EXPECT_THAT(ProfileText(SampleGpuProfile(), {.view = View::kOperators}, {.width = 160}),
              HasSubstr("ProfilerStep#10"));
}

TEST(ProfileText, MarksTheSlowestAndTheIncompleteStep) {
  const std::string text = ProfileText(SampleGpuProfile(), {}, {.width = 120});
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
  EXPECT_THAT(ProfileText(profile, {}, {.width = 200}),
              HasSubstr("29 complete steps: the fastest 100.0 ms (94), the median 100.0 ms, the "
                        "slowest 183.9 ms (12); "
                        "--view steps lists them."));
}

TEST(ProfileText, LosesNothingSilently) {
  const std::string text = ProfileText(SampleGpuProfile(), {.limit = 1}, {.width = 120});
  EXPECT_THAT(text, HasSubstr("1 of 5"));
  EXPECT_THAT(text, HasSubstr("truncated"));
  EXPECT_THAT(text, HasSubstr("partial_overlap"));
  EXPECT_THAT(text, HasSubstr("byte 35,154,637"));
  EXPECT_LT(text.find("truncated"), text.find("partial_overlap"));
}

TEST(ProfileText, EveryViewSaysThatSomethingIsMissing) {
  Profile profile = SampleGpuProfile();
  for (const View view : {View::kSteps, View::kDevices, View::kOperators, View::kKernels,
                          View::kCopies, View::kRecommendations}) {
    EXPECT_THAT(
        ProfileText(profile, {.view = view}, {}),
        HasSubstr("\nParts of the trace could not be used: 1 truncated, 3 partial_overlap (--view "
                  "diagnostics explains)\n"));
  }
  profile.diagnostics.pop_back();
  EXPECT_THAT(ProfileText(profile, {.view = View::kSteps}, {}),
              HasSubstr("About the data: 3 partial_overlap"));
  profile.diagnostics.clear();
  EXPECT_THAT(ProfileText(profile, {.view = View::kSteps}, {}), Not(HasSubstr("diagnostics")));
}

TEST(SummaryOfDiagnostics, CountsOverFilesAndBySeverity) {
  Profile profile = SampleGpuProfile();
  profile.diagnostics.push_back(profile.diagnostics[1]);
  EXPECT_EQ(SummaryOfDiagnostics(profile, Severity::kLoss), "2 truncated");
  EXPECT_EQ(SummaryOfDiagnostics(profile, Severity::kInfo), "2 truncated, 3 partial_overlap");
  EXPECT_EQ(SummaryOfDiagnostics(profile, Severity::kError), "");
}

TEST(ProfileText, SaysWhatTheCaptureLacksAndWhatAddsIt) {
  EXPECT_THAT(
      ProfileText(SampleCpuProfile(), {}, {.width = 200}),
      HasSubstr("Not captured, with what would add it: GPU events (ProfilerActivity.CUDA in "
                "activities, if the "
                "run used a GPU), steps (prof.step() at the end of each iteration), input shapes "
                "(record_shapes=True)"));
}

TEST(ProfileText, EmptyViewsSayWhatIsMissing) {
  EXPECT_THAT(ProfileText(SampleCpuProfile(), {.view = View::kKernels}, {}),
              HasSubstr("ProfilerActivity.CUDA"));
  EXPECT_THAT(ProfileText(SampleCpuProfile(), {.view = View::kDevices}, {}),
              HasSubstr("ProfilerActivity.CUDA"));
  EXPECT_THAT(ProfileText(Profile(), {.view = View::kOperators}, {}),
              HasSubstr("ProfilerActivity.CPU"));
  EXPECT_THAT(ProfileText(Profile(), {.view = View::kSteps}, {}), HasSubstr("no step"));
  EXPECT_THAT(ProfileText(Profile(), {.view = View::kRecommendations}, {}),
              HasSubstr("No rule found"));
}

TEST(ProfileText, ColourOnlyWhereAsked) {
  EXPECT_THAT(ProfileText(SampleGpuProfile(), {}, {.color = false}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ProfileText(SampleGpuProfile(), {}, {.color = true}), HasSubstr("\x1b[38;5;36m"));
}

TEST(ProfileText, AsciiIsAscii) {
  Profile profile = SampleGpuProfile();
  profile.report.kernels[0].name = "训练_kernel";
  for (const std::string_view name : ViewNames()) {
    const std::string text = ProfileText(profile, {.view = *ViewNamed(name)}, {.unicode = false});
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
  for (const std::string_view name : ViewNames()) {
    const std::string text = ProfileText(profile, {.view = *ViewNamed(name)}, {.width = 100});
    EXPECT_EQ(text.find_first_of("\x1b\x07\r"), std::string::npos) << name;
  }
}

TEST(ProfileText, RecommendationsShowTheirEvidence) {
  const std::string text =
      ProfileText(SampleGpuProfile(), {.view = View::kRecommendations}, {.width = 100});
  EXPECT_THAT(text, HasSubstr("rule dataloader_wait: dataloader > 5 % of the step"));
  EXPECT_THAT(text, HasSubstr("dataloader_share: 36.1 %"));
  EXPECT_THAT(text, HasSubstr("dataloader_ns: 64.2 ms"));
  EXPECT_THAT(text, HasSubstr("worst_step: 12"));
}

TEST(ProfileText, SeveralRanksGetTheirTable) {
  const std::string text = ProfileText(SampleRanks(), {}, {.width = 120});
  EXPECT_THAT(text, HasSubstr("\nRanks  "));
  EXPECT_THAT(text, HasSubstr("\n  rank 1 "));
}

TEST(CaptureGaps, StepsAreNotNamedTwice) {
  Profile profile = SampleCpuProfile();
  profile.diagnostics.push_back({Severity::kInfo, "no_steps", 1, std::nullopt, "no steps", 0});
  for (const CaptureGap& gap : CaptureGaps(profile)) EXPECT_NE(gap.what, "steps");
}

}  // namespace
}  // namespace telltale
