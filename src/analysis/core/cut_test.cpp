// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

std::vector<std::string> Kept(const Trace& trace, const CutRows& rows) {
  std::vector<std::string> names;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    if (rows.spans.empty() || rows.spans[row]) names.emplace_back(trace.NameOfSpan(row));
  }
  return names;
}

class CutTest : public testing::Test {
 protected:
  CutTest() {
    builder_.Annotation("ProfilerStep#1", 0, 100);
    builder_.Runtime("launch 1", 80, 90, 1);
    builder_.Annotation("ProfilerStep#2", 100, 200);
    builder_.Operator("op 2", 110, 120);
    builder_.Runtime("launch 2", 112, 115, 2);
    builder_.Kernel("kernel 1", 105, 130, 1);
    builder_.Kernel("kernel 2", 190, 260, 2);
    builder_.Operator("after", 300, 310);
  }
  CutRows Cut(const CutOptions& options, std::optional<int64_t> first = std::nullopt,
              std::optional<int64_t> last = std::nullopt) {
    AnalysisOptions analysis;
    analysis.first_step = first;
    analysis.last_step = last;
    return CutTrace(PrepareTrace(builder_.trace(), analysis), options);
  }
  TraceBuilder builder_;
};

TEST_F(CutTest, KeepsEverythingUnlessAsked) { EXPECT_TRUE(Cut({}).spans.empty()); }

TEST_F(CutTest, KeepsStepsWithTheDeviceWorkTheyLaunched) {
  CutOptions options;
  options.steps = true;
  EXPECT_THAT(Kept(builder_.trace(), Cut(options, 2, 2)),
              testing::ElementsAre("ProfilerStep#2", "op 2", "launch 2", "kernel 2"));
  EXPECT_THAT(Kept(builder_.trace(), Cut(options, 1, 1)),
              testing::ElementsAre("ProfilerStep#1", "launch 1", "kernel 1"));
}

TEST_F(CutTest, KeepsWhatTouchesAWindow) {
  CutOptions options;
  options.window = Interval{113, 118};
  EXPECT_THAT(Kept(builder_.trace(), Cut(options)),
              testing::ElementsAre("ProfilerStep#2", "op 2", "launch 2", "kernel 2"));
}

TEST_F(CutTest, KeepsCategoriesByTextOrKind) {
  CutOptions options;
  options.categories = {"KERNEL"};
  EXPECT_THAT(Kept(builder_.trace(), Cut(options)), testing::ElementsAre("kernel 1", "kernel 2"));
  options.categories = {"operator"};
  EXPECT_THAT(Kept(builder_.trace(), Cut(options)), testing::ElementsAre("op 2", "after"));
}

TEST_F(CutTest, KeepsArrowsWholeOrNotAtAll) {
  Trace& trace = builder_.trace();
  const auto flow = [&](int64_t time, SpanRow on, uint64_t id, FlowPhase phase) {
    trace.flows.time_ns.push_back(time);
    trace.flows.id.push_back(id);
    trace.flows.track.push_back(trace.spans.track[on]);
    trace.flows.category_id.push_back(trace.spans.category_id[on]);
    trace.flows.category_id.back() = CategoryId{0};
    trace.flows.phase.push_back(phase);
    trace.flows.offset.push_back(0);
  };
  flow(80, 1, 7, FlowPhase::kStart);   // launch 1
  flow(105, 5, 7, FlowPhase::kEnd);    // kernel 1
  flow(112, 4, 7, FlowPhase::kStart);  // launch 2, the same id again
  flow(190, 6, 7, FlowPhase::kEnd);    // kernel 2
  flow(112, 4, 8, FlowPhase::kStart);  // from step 2 …
  flow(305, 7, 8, FlowPhase::kEnd);    // … to what comes after it
  CutOptions options;
  options.steps = true;
  EXPECT_EQ(Cut(options, 2, 2).flows, (std::vector<bool>{false, false, true, true, false, false}));
}

}  // namespace
}  // namespace telltale
