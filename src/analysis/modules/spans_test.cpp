// SPDX-License-Identifier: Apache-2.0
#include "analysis/modules/spans.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

constexpr std::string_view kNet = "[pl][module]torch.nn.modules.container.Sequential: net";
constexpr std::string_view kNet1 = "[pl][module]torch.nn.modules.linear.Linear: net.1";

std::string NameOf(const Trace& trace, const ModuleSpans& modules, ModuleCall call) {
  return call == kNoRow ? "" : std::string(trace.NameOfSpan(modules.span[call]));
}

Column<ModuleCall> Innermost(const Trace& trace, const ModuleSpans& modules, HostTree& tree) {
  Diagnostics diagnostics;
  tree = BuildHostTree(trace, 1, diagnostics);
  return InnermostModules(trace, tree, modules);
}

TEST(ModuleName, ReadsKinetosNames) {
  const auto name = ParseModuleName(Category::kPython, "nn.Module: Conv2d_12");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->label, "Conv2d_12");
  EXPECT_EQ(name->class_name, "Conv2d");
  EXPECT_EQ(name->path, "");
  EXPECT_EQ(ParseModuleName(Category::kPython, "nn.Module: Linear")->class_name, "Linear");
  EXPECT_EQ(ParseModuleName(Category::kPython, "nn.Module: Conv2d")->class_name, "Conv2d");
  EXPECT_EQ(ParseModuleName(Category::kPython, "nn.Module: _3")->class_name, "_3");
  EXPECT_FALSE(ParseModuleName(Category::kPython, "torch/nn/modules/linear.py(1): forward"));
  EXPECT_FALSE(ParseModuleName(Category::kAnnotation, "nn.Module: Linear_0"));
  EXPECT_FALSE(ParseModuleName(Category::kOperator, kNet1));
}

TEST(ModuleName, ReadsLightningsNames) {
  const auto name = ParseModuleName(Category::kAnnotation, kNet1);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->label, "Linear");
  EXPECT_EQ(name->class_name, "Linear");
  EXPECT_EQ(name->path, "net.1");
  EXPECT_EQ(ParseModuleName(Category::kAnnotation, "[pl][module]Odd")->class_name, "Odd");
  EXPECT_EQ(ParseModuleName(Category::kAnnotation, "[pl][module]Odd")->path, "");
}

TEST(ModuleSpans, NestsFramesPerThread) {
  TraceBuilder builder;
  builder.Python("nn.Module: Linear_0", 20, 30);
  builder.Python("nn.Module: Net_0", 10, 50);
  builder.Python("net.py(3): forward", 15, 45);
  builder.Python("nn.Module: ReLU_0", 30, 40);
  builder.Python("nn.Module: Other_0", 20, 30, 2);
  const ModuleSpans modules = FindModuleSpans(builder.trace());
  ASSERT_EQ(modules.size(), 4U);
  ASSERT_EQ(modules.threads.size(), 2U);
  EXPECT_EQ(NameOf(builder.trace(), modules, 0), "nn.Module: Net_0");
  EXPECT_EQ(modules.parent[0], kNoRow);
  EXPECT_EQ(modules.parent[1], 0U);
  EXPECT_EQ(NameOf(builder.trace(), modules, 2), "nn.Module: ReLU_0");
  EXPECT_EQ(modules.parent[2], 0U);
  EXPECT_EQ(modules.parent[3], kNoRow);
  EXPECT_EQ(modules.path_span[0], kNoRow);
}

TEST(ModuleSpans, FindsTheInnermostCallOfEachHostEvent) {
  TraceBuilder builder;
  builder.Python("nn.Module: Net_0", 10, 50);
  builder.Python("nn.Module: Linear_0", 20, 30);
  builder.Operator("before", 5, 8);
  builder.Operator("around", 10, 60);  // starts with the call but outlasts it
  builder.Operator("aten::addmm", 22, 28);
  builder.Operator("between", 30, 35);  // starts where Linear ends
  builder.Operator("after", 50, 55);
  builder.Operator("elsewhere", 22, 28, 2);
  const ModuleSpans modules = FindModuleSpans(builder.trace());
  HostTree tree;
  const Column<ModuleCall> innermost = Innermost(builder.trace(), modules, tree);
  std::string found;
  for (NodeId node = 0; node < tree.size(); ++node) {
    found += std::string(builder.trace().NameOfSpan(tree.span[node])) + "=" +
             NameOf(builder.trace(), modules, innermost[node]) + "\n";
  }
  EXPECT_EQ(found,
            "before=\naround=\naten::addmm=nn.Module: Linear_0\nbetween=nn.Module: Net_0\n"
            "after=\nelsewhere=\n");
}

TEST(ModuleSpans, CursorAnswersByTime) {
  TraceBuilder builder;
  builder.Python("nn.Module: Net_0", 10, 50);
  builder.Python("nn.Module: Linear_0", 20, 30);
  const ModuleSpans modules = FindModuleSpans(builder.trace());
  ModuleCursor cursor(builder.trace(), modules, modules.ThreadOf(TrackId{0}));
  EXPECT_EQ(cursor.At(9), kNoRow);
  EXPECT_EQ(cursor.At(10), 0U);
  EXPECT_EQ(cursor.At(20), 1U);
  EXPECT_EQ(cursor.At(30), 0U);
  EXPECT_EQ(cursor.At(50), kNoRow);
  EXPECT_EQ(modules.ThreadOf(TrackId{7}), nullptr);
  EXPECT_EQ(ModuleCursor(builder.trace(), modules, nullptr).At(20), kNoRow);
}

TEST(ModuleSpans, LightningAnnotationsAreCalls) {
  TraceBuilder builder;
  builder.Annotation(kNet, 10, 50);
  builder.Annotation(kNet1, 10, 50);  // the same times: file order decides
  builder.Operator("aten::linear", 12, 20);
  const ModuleSpans modules = FindModuleSpans(builder.trace());
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules.parent[1], 0U);
  EXPECT_EQ(modules.path_span[1], modules.span[1]);
  HostTree tree;
  const Column<ModuleCall> innermost = Innermost(builder.trace(), modules, tree);
  EXPECT_EQ(innermost[0], 0U);
  EXPECT_EQ(innermost[1], 1U);
  EXPECT_EQ(innermost[2], 1U);
}

TEST(ModuleSpans, LightningNamesTheFrameAroundIt) {
  TraceBuilder builder;
  builder.Python("nn.Module: Sequential_0", 10, 50);
  builder.Annotation(kNet, 11, 49);
  builder.Python("nn.Module: Linear_0", 20, 40);
  builder.Annotation(kNet1, 21, 39);
  builder.Annotation(kNet1, 22, 38);  // the frame has its name: a call of its own
  builder.Operator("aten::linear", 25, 30);
  const ModuleSpans modules = FindModuleSpans(builder.trace());
  ASSERT_EQ(modules.size(), 3U);
  EXPECT_EQ(modules.parent[1], 0U);
  EXPECT_EQ(modules.path_span[0], 1U);
  EXPECT_EQ(modules.path_span[1], 3U);
  EXPECT_EQ(modules.parent[2], 1U);
  HostTree tree;
  const Column<ModuleCall> innermost = Innermost(builder.trace(), modules, tree);
  EXPECT_EQ(innermost[0], 0U);  // the annotation that names Sequential_0
  EXPECT_EQ(innermost[1], 1U);
  EXPECT_EQ(innermost[2], 2U);
}

TEST(ModuleSpans, ThousandsOfNestedCallsStayLinear) {
  TraceBuilder builder;
  constexpr int kDepth = 200'000;
  for (int i = 0; i < kDepth; ++i) builder.Python("nn.Module: M_0", i, 2 * kDepth - i);
  for (int i = 0; i < kDepth; ++i) builder.Operator("aten::add", kDepth + i, kDepth + i + 1);
  const ModuleSpans modules = FindModuleSpans(builder.trace());
  HostTree tree;
  const Column<ModuleCall> innermost = Innermost(builder.trace(), modules, tree);
  EXPECT_EQ(innermost[0], static_cast<ModuleCall>(kDepth - 1));
  EXPECT_EQ(innermost[kDepth - 1], 0U);
}

}  // namespace
}  // namespace telltale
