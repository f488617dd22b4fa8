// SPDX-License-Identifier: Apache-2.0
// Causes are found where they are shown, and left out where nothing is read from them.
#include "views/shows_causes.h"

#include <gtest/gtest.h>

#include "analysis/causes/kinds.h"
#include "views/render/document.h"
#include "views/sample_profile.h"
#include "views/sample_views.h"

namespace telltale {
namespace {

ProfileRequest RequestOf(std::string_view view, OutputUse use = {}) {
  ProfileRequest request;
  request.view = ViewNamed(view);
  request.overview = request.view == nullptr;
  request.use = use;
  return request;
}

// One cause of every kind, each large enough for any sentence.
Profile WithEveryCause() {
  Profile profile = SampleGpuProfile();
  profile.causes.regions = 1;
  profile.causes.average_ns = 1'000 * kMilli;
  for (size_t kind = 0; kind < kCauseKindCount; ++kind) {
    Cause cause;
    cause.kind = static_cast<CauseKind>(kind);
    cause.what = "needle";
    cause.saving_ns = 300 * kMilli;
    cause.share = 0.3;
    profile.causes.causes.push_back(cause);
  }
  return profile;
}

TEST(ShowsCauses, NotWhereTheViewIsTheSameWithoutThem) {
  Profile without = WithEveryCause();
  without.causes = {};
  for (const ViewSpec& view : Views()) {
    if (ShowsCauses(RequestOf(view.name)) || view.build == nullptr) continue;
    const SampleViews with_causes(WithEveryCause(), view.name);
    const SampleViews without_causes(without, view.name);
    EXPECT_EQ(DocumentText(*with_causes.built().Find(view.name), std::nullopt, {}),
              DocumentText(*without_causes.built().Find(view.name), std::nullopt, {}))
        << view.name;
  }
}

TEST(ShowsCauses, WhereASentenceOrAnAdviceIsReadFromThem) {
  EXPECT_TRUE(ShowsCauses(RequestOf("overview")));
  EXPECT_TRUE(ShowsCauses(RequestOf("causes")));
  EXPECT_TRUE(ShowsCauses(RequestOf("operators")));
  // Its sentence does not name them, what to try below it does.
  EXPECT_TRUE(ShowsCauses(RequestOf("functions")));
  EXPECT_FALSE(ShowsCauses(RequestOf("modules")));
  EXPECT_FALSE(ShowsCauses(RequestOf("events")));
}

TEST(ShowsCauses, ATableForProgramsHasRowsAlone) {
  const OutputUse csv = {.format = OutputFormat::kCsv};
  EXPECT_FALSE(ShowsCauses(RequestOf("operators", csv)));
  EXPECT_TRUE(ShowsCauses(RequestOf("causes", csv)));
  EXPECT_TRUE(ShowsCauses(RequestOf("recommendations", csv)));
  EXPECT_FALSE(ShowsCauses(RequestOf("operators", {.like = LikeTool::kTorch})));
  EXPECT_TRUE(ShowsCauses(
      RequestOf("operators", {.format = OutputFormat::kJson, .like = LikeTool::kTorch})));
}

}  // namespace
}  // namespace telltale
