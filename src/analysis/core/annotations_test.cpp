// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/annotations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

AnnotationReport Describe(TraceBuilder& builder, AnnotationShape shape = AnnotationShape::kFlat,
                          const AnalysisOptions& options = {}) {
  return DescribeAnnotations(PrepareTrace(builder.trace(), options), shape);
}

const AnnotationRow& Row(const AnnotationReport& report, std::string_view name) {
  const auto at = std::find_if(report.rows.begin(), report.rows.end(),
                               [&](const AnnotationRow& row) { return row.name == name; });
  EXPECT_NE(at, report.rows.end()) << name;
  return *at;
}

// A step with forward (attention inside) on the main thread, while autograd launches on thread 2.
TraceBuilder OneStep() {
  TraceBuilder b;
  b.Annotation("ProfilerStep#4", 0, 1000);
  b.Annotation("forward", 100, 500);
  b.Operator("aten::mm", 150, 250);
  b.Runtime("cudaLaunchKernel", 160, 170, 1);
  b.Kernel("gemm", 300, 340, 1);
  b.Annotation("attention", 260, 460);
  b.Runtime("cudaLaunchKernel", 300, 310, 2);
  b.Kernel("flash", 400, 500, 2);
  b.Annotation("backward", 600, 900);
  b.Operator("MulBackward0", 650, 800, 2);
  b.Runtime("cudaLaunchKernel", 700, 710, 3, 2);
  b.Kernel("mul", 720, 727, 3);
  return b;
}

TEST(Annotations, SelfIsWhatLiesInNoNestedRange) {
  TraceBuilder b = OneStep();
  const AnnotationReport report = Describe(b);
  const AnnotationRow& forward = Row(report, "forward");
  EXPECT_EQ(forward.calls, 1U);
  EXPECT_EQ(forward.host_total_ns, 400);
  EXPECT_EQ(forward.host_self_ns, 200);  // operators take nothing away
  EXPECT_EQ(forward.device_total_ns, 140);
  EXPECT_EQ(forward.device_self_ns, 40);
  EXPECT_EQ(Row(report, "attention").device_self_ns, 100);
  EXPECT_EQ(report.device_ns, 147);
}

TEST(Annotations, AThreadWithoutRangesWorksForTheRangeThatStartedLast) {
  TraceBuilder b = OneStep();
  const AnnotationReport report = Describe(b);
  EXPECT_EQ(Row(report, "backward").device_total_ns, 7);
  EXPECT_EQ(Row(report, "ProfilerStep*").device_total_ns, 147);
  EXPECT_EQ(Row(report, "ProfilerStep*").device_self_ns, 0);
}

TEST(Annotations, ARangeThatHasEndedGetsNothing) {
  TraceBuilder b;
  b.Annotation("early", 0, 100);
  b.Annotation("inner", 10, 20);
  b.Runtime("cudaLaunchKernel", 50, 60, 1, 2);
  b.Kernel("a", 70, 80, 1);
  b.Runtime("cudaLaunchKernel", 100, 110, 2, 2);
  b.Kernel("b", 120, 130, 2);
  const AnnotationReport report = Describe(b);
  EXPECT_EQ(Row(report, "early").device_self_ns, 10);
  EXPECT_EQ(Row(report, "inner").device_self_ns, 0);
}

TEST(Annotations, StepsOfTheProfilerAreOneRow) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("ProfilerStep#2", 100, 400);
  const AnnotationReport report = Describe(b);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].calls, 2U);
  EXPECT_EQ(report.rows[0].min_ns, 100);
  EXPECT_EQ(report.rows[0].max_ns, 300);
  EXPECT_EQ(report.rows[0].first_start_ns, 0);
}

TEST(Annotations, TheShareOfStepsCountsEachMomentOnce) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("ProfilerStep#2", 200, 300);
  b.Annotation("range", 50, 250, 2);
  b.Annotation("range", 40, 60, 3);
  const AnnotationReport report = Describe(b);
  EXPECT_EQ(report.steps_ns, 200);
  EXPECT_EQ(Row(report, "range").in_steps_ns, 110);
  EXPECT_EQ(Row(report, "range").host_total_ns, 220);
}

TEST(Annotations, WithoutStepsThereIsNoShare) {
  TraceBuilder b;
  b.Annotation("range", 50, 250);
  EXPECT_EQ(Describe(b).steps_ns, 0);
}

TEST(Annotations, TheTreeTellsPlacesApart) {
  TraceBuilder b;
  b.Annotation("train", 0, 1000);
  b.Annotation("encode", 100, 200);
  b.Annotation("validate", 2000, 3000);
  b.Annotation("encode", 2100, 2400);
  b.Annotation("train", 4000, 4100);
  const AnnotationReport report = Describe(b, AnnotationShape::kTree);
  ASSERT_EQ(report.rows.size(), 4U);
  EXPECT_EQ(report.rows[0].name, "train");
  EXPECT_EQ(report.rows[0].calls, 2U);
  EXPECT_EQ(report.rows[1].name, "encode");
  EXPECT_EQ(report.rows[1].parent, 0U);
  EXPECT_EQ(report.rows[1].depth, 1U);
  EXPECT_EQ(report.rows[1].host_total_ns, 100);
  EXPECT_EQ(report.rows[3].parent, 2U);
  EXPECT_EQ(report.rows[3].host_total_ns, 300);
}

TEST(Annotations, SelectionKeepsThePlaceOfWhatIsSelected) {
  TraceBuilder b = OneStep();
  AnalysisOptions options;
  options.inside = "attention";
  const AnnotationReport flat = Describe(b, AnnotationShape::kFlat, options);
  ASSERT_EQ(flat.rows.size(), 1U);
  EXPECT_EQ(flat.rows[0].name, "attention");
  EXPECT_EQ(flat.device_ns, 100);
  const AnnotationReport tree = Describe(b, AnnotationShape::kTree, options);
  ASSERT_EQ(tree.rows.size(), 3U);
  EXPECT_EQ(tree.rows[0].name, "ProfilerStep*");
  EXPECT_EQ(tree.rows[0].calls, 0U);
  EXPECT_EQ(tree.rows[2].name, "attention");
  EXPECT_EQ(tree.rows[2].calls, 1U);
}

TEST(Annotations, TheDevicesOwnLaneIsCountedBeside) {
  TraceBuilder b = OneStep();
  b.Add("gpu_user_annotation", "forward", 300, 500, b.Track(0, 7));
  b.Add("gpu_user_annotation", "ProfilerStep#4", 300, 727, b.Track(0, 7));
  b.Add("gpu_user_annotation", "unknown", 300, 727, b.Track(0, 7));
  const AnnotationReport report = Describe(b);
  EXPECT_TRUE(report.has_device_lane);
  EXPECT_EQ(Row(report, "forward").device_lane_ns, 200);
  EXPECT_EQ(Row(report, "forward").device_lane_calls, 1U);
  EXPECT_EQ(Row(report, "ProfilerStep*").device_lane_ns, 427);
  EXPECT_EQ(Row(report, "attention").device_lane_calls, 0U);
}

TEST(Annotations, SeveralTracesAddUpByPath) {
  TraceBuilder a = OneStep();
  TraceBuilder b;
  b.Annotation("forward", 0, 50);
  b.Annotation("attention", 10, 20);
  for (const AnnotationShape shape : {AnnotationShape::kFlat, AnnotationShape::kTree}) {
    const std::array reports = {Describe(a, shape), Describe(b, shape)};
    const AnnotationReport merged = MergeAnnotations(reports, shape);
    // In the tree of the second trace they are not below a step.
    EXPECT_EQ(merged.rows.size(), shape == AnnotationShape::kFlat ? 4U : 6U);
    if (shape == AnnotationShape::kFlat) {
      EXPECT_EQ(Row(merged, "forward").calls, 2U);
      EXPECT_EQ(Row(merged, "forward").min_ns, 50);
      EXPECT_EQ(Row(merged, "forward").max_ns, 400);
    }
  }
}

}  // namespace
}  // namespace telltale
