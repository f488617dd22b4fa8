// SPDX-License-Identifier: Apache-2.0
#include "views/offered.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"
#include "views/captured.h"

namespace telltale {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

class OfferedTest : public testing::Test {
 protected:
  std::map<std::string_view, std::string_view> Missing() {
    const health::Facts facts(contexts_);
    const ViewInput input = {.subject = subject_,
                             .traces = contexts_,
                             .profile = profile_,
                             .params = params_,
                             .sort_field = std::nullopt,
                             .facts = facts};
    std::map<std::string_view, std::string_view> missing;
    for (const OfferedView& view : OfferedViews(input, CapturedIn(contexts_))) {
      if (!view.missing.empty()) missing.emplace(view.name, view.missing);
    }
    return missing;
  }
  void Prepare() { contexts_.push_back(PrepareTrace(builder_.trace(), {})); }

  TraceBuilder builder_;
  std::vector<TraceContext> contexts_;
  Subject subject_;
  Profile profile_;
  ParamValues params_;
};

TEST_F(OfferedTest, ATraceOfOperatorsLacksWhatWasNotCaptured) {
  builder_.Operator("aten::add", 0, 10);
  Prepare();
  const auto missing = Missing();
  EXPECT_THAT(missing, Contains(Pair("kernels", HasSubstr("device activity"))));
  EXPECT_THAT(missing, Contains(Pair("memory", HasSubstr("profile_memory=True"))));
  EXPECT_THAT(missing, Contains(Pair("distributed", HasSubstr("several ranks"))));
  EXPECT_THAT(missing, Contains(Pair("functions", HasSubstr("with_stack=True"))));
  for (const char* has : {"operators", "steps", "events", "diagnostics", "critical_path"})
    EXPECT_THAT(missing, Not(Contains(Key(has)))) << has;
}

TEST_F(OfferedTest, AKernelIsWhatTheViewsOfDevicesNeed) {
  builder_.Kernel("gemm", 0, 10);
  Prepare();
  EXPECT_THAT(Missing(), Not(Contains(Key("kernels"))));
  EXPECT_THAT(Missing(), Not(Contains(Key("idle"))));
}

TEST_F(OfferedTest, SeveralRanksAndFilesOfMemoryDoInstead) {
  builder_.Operator("aten::add", 0, 10);
  Prepare();
  Prepare();
  subject_.Add(Artifact(MemoryProfile()));
  EXPECT_THAT(Missing(), Not(Contains(Key("distributed"))));
  EXPECT_THAT(Missing(), Not(Contains(Key("memory"))));
}

TEST_F(OfferedTest, AProfileOfFunctionsHasThose) {
  subject_.Add(Artifact(FunctionProfile()));
  const auto missing = Missing();
  EXPECT_THAT(missing, Not(Contains(Key("functions"))));
  EXPECT_THAT(missing, Not(Contains(Key("diagnostics"))));
  EXPECT_THAT(missing, Contains(Pair("steps", HasSubstr("Needs a trace"))));
}

}  // namespace
}  // namespace telltale
