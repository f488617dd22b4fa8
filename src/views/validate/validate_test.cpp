// SPDX-License-Identifier: Apache-2.0
#include "views/validate/validate.h"

#include <gtest/gtest.h>

#include "views/sample_profile.h"

namespace telltale {
namespace {

Profile Findings(std::vector<Severity> severities) {
  Profile findings;
  findings.files.push_back(SampleFile("trace.json", true));
  for (const Severity severity : severities) {
    findings.diagnostics.push_back(
        {severity, "kind", 3, 1'234, "what it means for the numbers", ArtifactId{0}});
  }
  return findings;
}

TEST(Verdict, GradesTheFile) {
  EXPECT_EQ(Verdict(Findings({})), "trace.json: nothing wrong in 75,718 events.");
  EXPECT_EQ(Verdict(Findings({Severity::kInfo})),
            "trace.json: fine, 75,718 events read, 1 thing worth knowing.");
  EXPECT_EQ(
      Verdict(Findings({Severity::kLoss, Severity::kInfo})),
      "trace.json: usable, 75,718 events read, but 1 kind of loss: the numbers lack something.");
  EXPECT_EQ(Verdict(Findings({Severity::kError, Severity::kError, Severity::kLoss})),
            "trace.json: not sound, 75,718 events read, 2 kinds of errors and 1 kind of loss.");
}

TEST(ValidateText, ListsTheFindings) {
  EXPECT_EQ(ValidateText(Findings({Severity::kError}), {.width = 100}),
            "trace.json: not sound, 75,718 events read, 1 kind of error.\n"
            "\n"
            "  severity  kind  count    first at  what it means\n"
            "  error     kind      3  byte 1,234  what it means for the numbers\n");
  EXPECT_EQ(ValidateText(Findings({Severity::kError}), {.width = 60}),
            "trace.json: not sound, 75,718 events read, 1 kind of error.\n"
            "\n"
            "  error kind, 3, first at byte 1,234\n"
            "    what it means for the numbers\n");
}

}  // namespace
}  // namespace telltale
