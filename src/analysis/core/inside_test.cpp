// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/inside.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/trace_builder.h"
#include "analysis/work/analyze.h"

namespace telltale {
namespace {

IntervalSet Times(TraceBuilder& builder, const std::string& expression) {
  Diagnostics diagnostics;
  const HostTree tree = BuildHostTree(builder.trace(), 1, diagnostics);
  return TimesInside(builder.trace(), tree, expression).value();
}

TEST(Inside, IsTheUnionOfAnnotationsThatMatch) {
  TraceBuilder b;
  b.Annotation("forward", 0, 10);
  b.Annotation("forward 2", 5, 20);
  b.Annotation("backward", 30, 40, 2);
  b.Operator("forward", 50, 60);
  EXPECT_EQ(Times(b, "^forward"), (IntervalSet{{0, 20}}));
  EXPECT_EQ(Times(b, "ward$"), (IntervalSet{{0, 10}, {30, 40}}));
  EXPECT_EQ(Times(b, "nothing"), IntervalSet());
  EXPECT_EQ(Times(b, "("), IntervalSet());
}

TEST(Inside, AnExpressionThatIsTooMuchWorkIsNotAnswered) {
  std::string coin_tosses;
  uint32_t random = 1;
  while (coin_tosses.size() < 200'000)
    coin_tosses += ((random = random * 1664525 + 1013904223) >> 31U) != 0 ? 'a' : 'b';
  TraceBuilder b;
  b.Annotation(coin_tosses, 0, 10);
  const std::string expression = "(a|b)*a(a|b){1000}c";
  Diagnostics diagnostics;
  const HostTree tree = BuildHostTree(b.trace(), 1, diagnostics);
  EXPECT_EQ(TimesInside(b.trace(), tree, expression), std::nullopt);
  AnalysisOptions inside;
  inside.inside = expression;
  EXPECT_EQ(PrepareTrace(b.trace(), inside).facts.given_up_expression, expression);
  AnalysisOptions steps;
  steps.step_annotation = expression;
  EXPECT_EQ(PrepareTrace(b.trace(), steps).facts.given_up_expression, expression);
  steps.step_annotation = "a";
  EXPECT_EQ(PrepareTrace(b.trace(), steps).facts.given_up_expression, "");
}

TEST(Inside, FallsBackToOperators) {
  TraceBuilder b;
  b.Annotation("forward", 0, 10);
  b.Operator("aten::linear", 2, 6);
  b.Runtime("aten::linear", 7, 9);
  EXPECT_EQ(Times(b, "linear"), (IntervalSet{{2, 6}}));
}

// Two steps, each with a forward range; the autograd thread works at the same time.
TraceBuilder TwoSteps() {
  TraceBuilder b;
  for (const int64_t start : {0, 1000}) {
    b.Annotation(start == 0 ? "ProfilerStep#1" : "ProfilerStep#2", start, start + 900);
    b.Annotation("forward", start + 100, start + 300);
    b.Operator("aten::mm", start + 110, start + 200);
    b.Runtime("cudaLaunchKernel", start + 120, start + 130, static_cast<uint64_t>(start) + 1);
    b.Kernel("gemm", start + 400, start + 450, static_cast<uint64_t>(start) + 1);
    b.Operator("MulBackward0", start + 250, start + 500, 2);
    b.Operator("aten::add", start + 600, start + 700);
    b.Runtime("cudaLaunchKernel", start + 610, start + 620, static_cast<uint64_t>(start) + 2);
    b.Kernel("add", start + 650, start + 680, static_cast<uint64_t>(start) + 2);
  }
  return b;
}

std::vector<std::string> NamesOf(const ProfileReport& report) {
  std::vector<std::string> names;
  for (const OperatorRow& row : report.operators)
    names.push_back(row.name + " " + std::to_string(row.calls));
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Inside, TablesCountWhatStartsOrIsLaunchedInsideOnAnyThread) {
  TraceBuilder b = TwoSteps();
  AnalysisOptions options;
  options.inside = "^forward$";
  const ProfileReport report = AnalyzeTrace(b.trace(), options);
  EXPECT_EQ(NamesOf(report),
            (std::vector<std::string>{"MulBackward0 2", "aten::mm 2", "forward 2"}));
  ASSERT_EQ(report.kernels.size(), 1U);
  EXPECT_EQ(report.kernels[0].name, "gemm");
  // Steps and devices keep their meaning.
  EXPECT_EQ(report.steps.rows.size(), 2U);
  EXPECT_EQ(report.devices[0].kernel_count, 4U);
}

TEST(Inside, CombinesWithSteps) {
  TraceBuilder b = TwoSteps();
  AnalysisOptions options;
  options.inside = "^forward$";
  options.first_step = 2;
  EXPECT_EQ(NamesOf(AnalyzeTrace(b.trace(), options)),
            (std::vector<std::string>{"MulBackward0 1", "aten::mm 1", "forward 1"}));
  options.inside = "Step#1";
  EXPECT_TRUE(PrepareTrace(b.trace(), options).selection.Nothing());
}

}  // namespace
}  // namespace telltale
