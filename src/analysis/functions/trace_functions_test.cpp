// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/trace_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FunctionProfile FunctionsOf(TraceBuilder& builder, const AnalysisOptions& options = {}) {
  return FunctionsOfTrace(PrepareTrace(builder.trace(), options));
}

// "a/b": {self, calls}
using Paths = std::map<std::string, std::pair<int64_t, uint64_t>>;

std::string PathOf(const FunctionProfile& profile, CallNodeId node) {
  const std::string name(profile.Text(profile.functions[profile.tree.function[node]].name));
  const CallNodeId parent = profile.tree.parent[node];
  return parent == kNoCallNode ? name : PathOf(profile, parent) + "/" + name;
}

Paths PathsOf(const FunctionProfile& profile) {
  Paths paths;
  for (CallNodeId node = 0; node < profile.tree.size(); ++node) {
    paths[PathOf(profile, node)] = {profile.tree.self[node], profile.tree.calls[node]};
  }
  return paths;
}

std::vector<std::string> TimelineOf(const FunctionProfile& profile) {
  std::vector<std::string> texts;
  for (const TopOfStack& top : profile.timeline) {
    texts.push_back(std::to_string(top.thread) + ":" + std::to_string(top.start) + "+" +
                    std::to_string(top.length) + " " + PathOf(profile, top.node));
  }
  return texts;
}

TEST(TraceFunctions, MakesATreeOfTorchsPythonFrames) {
  TraceBuilder b;
  b.Operator("aten::add", 12, 18);
  b.Python("train.py(3): <module>", 0, 100);
  b.Python("train.py(10): step", 10, 40);
  b.Python("<built-in method add of type object at 0x7f30a34bc100>", 11, 19);
  b.Python("train.py(10): step", 50, 70);
  b.Python("<built-in method add of type object at 0x7f30a34bc2ff>", 50, 55);
  b.Python("nn.Module: Linear_0", 80, 90);
  const FunctionProfile profile = FunctionsOf(b);
  EXPECT_EQ(PathsOf(profile),
            (Paths{{"<module>", {40, 1}},
                   {"<module>/step", {37, 2}},
                   {"<module>/step/<built-in method add of type object>", {13, 2}},
                   {"<module>/nn.Module: Linear_0", {10, 1}}}));
  const Function& step = profile.functions[profile.tree.function[1]];
  EXPECT_EQ(profile.Text(step.file), "train.py");
  EXPECT_EQ(step.line, 10);
  EXPECT_EQ(profile.unit, ValueUnit::kNanoseconds);
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(TraceFunctions, KeepsTheOrderOfEvents) {
  TraceBuilder b;
  b.Python("a", 100, 120);
  b.Python("b", 105, 110);
  b.Python("c", 200, 203, 2);
  b.Python("b", 130, 131);
  EXPECT_THAT(TimelineOf(FunctionsOf(b)),
              ElementsAre("0:0+5 a", "0:5+5 a/b", "0:10+10 a", "0:30+1 b", "1:0+3 c"));
}

TEST(TraceFunctions, ReadsOtherTracersByNesting) {
  TraceBuilder b;
  const TrackId track = b.Track(1, 2);
  b.Add("fee", "leaf (/x/fixed.py:5)", 12, 14, track);
  b.Add("fee", "main (/x/fixed.py:17)", 10, 30, track);
  b.Add("fee", "builtins.len", 40, 41, track);
  const FunctionProfile profile = FunctionsOf(b);
  EXPECT_EQ(PathsOf(profile),
            (Paths{{"main", {18, 1}}, {"main/leaf", {2, 1}}, {"builtins.len", {1, 1}}}));
  EXPECT_EQ(profile.Text(profile.functions[0].file), "/x/fixed.py");
  EXPECT_EQ(profile.functions[0].line, 17);
  EXPECT_EQ(profile.functions[2].file, kNoString);
}

TEST(TraceFunctions, OfTwoTracersInOneFileTheFramesAreUsed) {
  TraceBuilder b;
  b.Operator("aten::add", 12, 18);
  b.Add("fee", "main (/x/fixed.py:17)", 10, 30, b.Track(1, 2));
  b.Add("something", "else", 10, 30, b.Track(1, 2));
  EXPECT_EQ(PathsOf(FunctionsOf(b)), (Paths{{"main", {20, 1}}}));
}

TEST(TraceFunctions, ASamplersStretchesAreNoCalls) {
  TraceBuilder b;
  b.Add("py-spy", "main", 10, 30, b.Track(1, 2));
  EXPECT_EQ(PathsOf(FunctionsOf(b)), (Paths{{"main", {20, kNoUint}}}));
}

TEST(TraceFunctions, ATraceOfOperatorsAloneHasNone) {
  TraceBuilder b;
  b.Operator("aten::add", 12, 18);
  b.Add("weird", "x", 12, 18, b.Track(1, 2));
  EXPECT_THAT(PathsOf(FunctionsOf(b)), IsEmpty());
  TraceBuilder empty;
  EXPECT_THAT(PathsOf(FunctionsOf(empty)), IsEmpty());
}

TEST(TraceFunctions, EveryMomentCountsOnceWhereEventsOverlap) {
  TraceBuilder b;
  b.Python("outer", 0, 100);
  b.Python("a", 10, 30);
  b.Python("b", 20, 50);
  const FunctionProfile profile = FunctionsOf(b);
  EXPECT_EQ(PathsOf(profile),
            (Paths{{"outer", {60, 1}}, {"outer/a", {10, 1}}, {"outer/b", {30, 1}}}));
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kPartialOverlap), 1U);
}

TEST(TraceFunctions, EventsOfNoLengthAreCalls) {
  TraceBuilder b;
  b.Python("a", 10, 10);
  b.Python("b", 10, 20);
  b.Python("c", 20, 20);
  EXPECT_EQ(PathsOf(FunctionsOf(b)), (Paths{{"b", {10, 1}}, {"b/a", {0, 1}}, {"c", {0, 1}}}));
}

TEST(TraceFunctions, SelectedStepsGiveTheirTimeWithTheWholePath) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("ProfilerStep#2", 100, 200);
  b.Annotation("ProfilerStep#3", 200, 300);
  b.Python("main", 0, 300);
  b.Python("step", 10, 90);
  b.Python("step", 110, 190);
  b.Python("wait", 195, 250);
  b.Python("late", 280, 290);
  AnalysisOptions options;
  options.first_step = 2;
  options.last_step = 2;
  const FunctionProfile profile = FunctionsOf(b, options);
  EXPECT_EQ(PathsOf(profile),
            (Paths{{"main", {15, 0}}, {"main/step", {80, 1}}, {"main/wait", {5, 1}}}));
  EXPECT_THAT(TimelineOf(profile), ElementsAre("0:100+10 main", "0:110+80 main/step",
                                               "0:190+5 main", "0:195+5 main/wait"));
}

TEST(TraceFunctions, DeepNestingAndRecursionAreLinear) {
  TraceBuilder b;
  constexpr int64_t kDepth = 50'000;
  for (int64_t i = 0; i < kDepth; ++i) b.Python("rec", i, 2 * kDepth - i);
  const FunctionProfile profile = FunctionsOf(b);
  EXPECT_EQ(profile.tree.size(), static_cast<size_t>(kDepth));
  EXPECT_EQ(profile.functions.size(), 1U);
  int64_t sum = 0;
  for (const int64_t self : profile.tree.self) sum += self;
  EXPECT_EQ(sum, 2 * kDepth);
}

}  // namespace
}  // namespace telltale
