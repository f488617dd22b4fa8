// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/steps.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

struct Found {
  explicit Found(TraceBuilder& builder, const AnalysisOptions& options = {})
      : trace(builder.trace()),
        tree(BuildHostTree(trace, 1, diagnostics)),
        links(LinkDeviceEvents(trace, tree, diagnostics)),
        facts(FindNameFacts(trace, options.step_annotation)),
        steps(FindSteps(trace, tree, links, facts, options, diagnostics)),
        report(DescribeSteps(trace, tree, links, facts, steps)) {}

  [[nodiscard]] int64_t Time(size_t row, StepCategory category) const {
    return report.rows[row].categories[static_cast<size_t>(category)];
  }

  const Trace& trace;
  Diagnostics diagnostics;
  HostTree tree;
  DeviceLinks links;
  NameFacts facts;
  Steps steps;
  StepReport report;
};

TEST(Steps, NumberIsTheDigitsOfProfilerStep) {
  EXPECT_EQ(ProfilerStepNumber("ProfilerStep#12"), "12");
  EXPECT_EQ(ProfilerStepNumber("ProfilerStep#"), "");
  EXPECT_EQ(ProfilerStepNumber("ProfilerStep#1a"), "");
  EXPECT_EQ(ProfilerStepNumber("ProfilerStep*"), "");
}

TEST(Steps, EndWithTheirDeviceWorkAndBeginAfterThePreviousStep) {
  TraceBuilder b;
  b.trace().base_time_ns = 1000;
  b.Annotation("ProfilerStep#10", 100, 200);
  b.Runtime("cudaLaunchKernel", 110, 120, 1);
  b.Annotation("ProfilerStep#11", 200, 300);
  b.Runtime("cudaLaunchKernel", 210, 220, 2, 5);  // another thread counts too
  b.Kernel("k", 150, 240, 1);
  b.Kernel("k", 240, 260, 2);
  const Found found(b);
  ASSERT_EQ(found.report.rows.size(), 2u);
  EXPECT_EQ(found.report.source, StepSource::kProfilerStep);
  EXPECT_EQ(found.report.rows[0].name, "10");
  EXPECT_EQ(found.report.rows[0].start_ns, 1100);
  EXPECT_EQ(found.report.rows[0].duration_ns, 140);
  EXPECT_EQ(found.report.rows[1].start_ns, 1240);
  EXPECT_EQ(found.report.rows[1].duration_ns, 60);
  EXPECT_EQ(found.report.rows[1].device_events, 1u);
  EXPECT_EQ(found.report.average_ns, 100);
  EXPECT_EQ(found.steps.Window(), (Interval{100, 300}));
}

TEST(Steps, LaunchAtTheHostEndBelongsToTheNextStep) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("ProfilerStep#2", 100, 200);
  b.Runtime("cudaLaunchKernel", 100, 105, 1);
  b.Kernel("k", 150, 160, 1);
  const Found found(b);
  EXPECT_EQ(found.report.rows[0].device_events, 0u);
  EXPECT_EQ(found.report.rows[1].device_events, 1u);
}

TEST(Steps, FirstStepBeginsAfterLeftOverWork) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 5, 1);
  b.Annotation("ProfilerStep#1", 100, 200);
  b.Runtime("cudaLaunchKernel", 110, 120, 2);
  b.Kernel("left over", 90, 130, 1);
  b.Kernel("launch missing, also left over", 100, 140);
  b.Kernel("ends when the first own one starts", 100, 150, 77);
  b.Kernel("own", 150, 160, 2);
  const Found found(b);
  EXPECT_EQ(found.steps.rows[0].bounds, (Interval{140, 200}));
}

TEST(Steps, LeftOverWorkIsIgnoredWithoutOwnDeviceEvents) {
  TraceBuilder b;
  b.Kernel("left over", 90, 130);
  b.Annotation("ProfilerStep#1", 100, 200);
  EXPECT_EQ(Found(b).steps.rows[0].bounds, (Interval{100, 200}));
}

TEST(Steps, StepThatIsOverBeforeThePreviousOnesDeviceWorkIsEmpty) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 10);
  b.Runtime("cudaLaunchKernel", 1, 2, 1);
  b.Annotation("ProfilerStep#2", 10, 20);
  b.Kernel("k", 5, 100, 1);
  const Found found(b);
  EXPECT_EQ(found.steps.rows[1].bounds, (Interval{100, 100}));
  EXPECT_EQ(found.report.rows[1].duration_ns, 0);
}

TEST(Steps, TrailingStepsWithoutDeviceWorkAreIncomplete) {
  TraceBuilder b;
  for (int64_t i = 0; i < 4; ++i) {
    b.Annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100 * i + 100);
    const int64_t kernels = i == 0 ? 10 : i == 1 ? 7 : 0;
    for (int64_t k = 0; k < kernels; ++k) {
      const auto id = static_cast<uint64_t>(100 * i + k + 1);
      b.Runtime("cudaLaunchKernel", 100 * i + k, 100 * i + k + 1, id);
      b.Kernel("k", 100 * i + k, 100 * i + k + 1, id);
    }
  }
  const Found found(b);
  EXPECT_TRUE(found.report.rows[0].complete);
  EXPECT_FALSE(found.report.rows[1].complete);  // 7 < 0.8 * 10
  EXPECT_FALSE(found.report.rows[2].complete);
  EXPECT_FALSE(found.report.rows[3].complete);
  EXPECT_EQ(found.report.average_ns, 100);
  EXPECT_EQ(found.diagnostics.Count(DiagnosticKind::kIncompleteStep), 3u);
}

TEST(Steps, EightTenthsIsEnoughAndOnlyTheLastIsJudged) {
  TraceBuilder b;
  const int64_t counts[] = {10, 2, 5, 4};
  for (int64_t i = 0; i < 4; ++i) {
    b.Annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100 * i + 100);
    for (int64_t k = 0; k < counts[i]; ++k) {
      const auto id = static_cast<uint64_t>(100 * i + k + 1);
      b.Runtime("cudaLaunchKernel", 100 * i + k, 100 * i + k + 1, id);
      b.Kernel("k", 100 * i + k, 100 * i + k + 1, id);
    }
  }
  for (const StepRow& row : Found(b).report.rows) EXPECT_TRUE(row.complete) << row.name;
}

TEST(Steps, WithoutDeviceWorkAllAreComplete) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 10);
  b.Annotation("ProfilerStep#2", 10, 25);
  const Found found(b);
  EXPECT_TRUE(found.report.rows[1].complete);
  EXPECT_EQ(found.report.average_ns, 13);  // 12.5, halves up
}

TEST(Steps, WithoutStepsTheWholeTraceIsOne) {
  TraceBuilder b;
  b.Operator("aten::mm", 10, 20);
  b.Kernel("k", 15, 50);
  b.Python("not counted", 0, 100);
  const Found found(b);
  EXPECT_EQ(found.report.source, StepSource::kWholeTrace);
  ASSERT_EQ(found.report.rows.size(), 1u);
  EXPECT_EQ(found.steps.rows[0].bounds, (Interval{10, 50}));
  EXPECT_EQ(found.report.rows[0].device_events, 1u);
  EXPECT_EQ(found.diagnostics.Count(DiagnosticKind::kNoSteps), 1u);
}

TEST(Steps, EmptyTraceHasNone) {
  TraceBuilder b;
  const Found found(b);
  EXPECT_TRUE(found.report.rows.empty());
  EXPECT_EQ(found.report.average_ns, 0);
}

TEST(Steps, GpuLaneAnnotationsAreNoSteps) {
  TraceBuilder b;
  b.Add("gpu_user_annotation", "ProfilerStep#1", 0, 10, b.Track(0, 7));
  b.Annotation("ProfilerStep#1", 0, 5);
  EXPECT_EQ(Found(b).report.rows.size(), 1u);
}

TEST(Steps, AnyAnnotationCanBeTheStep) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("train batch 1", 0, 40);
  b.Annotation("train batch 2", 50, 90);
  AnalysisOptions options;
  options.step_annotation = "batch \\d";
  const Found found(b, options);
  EXPECT_EQ(found.report.source, StepSource::kAnnotation);
  ASSERT_EQ(found.report.rows.size(), 2u);
  EXPECT_EQ(found.report.rows[1].name, "train batch 2");
  EXPECT_EQ(found.Time(0, StepCategory::kOther), 40);  // ProfilerStep is only a name here
}

TEST(Steps, ExpressionThatIsInvalidOrMatchesNothingGivesTheWholeTrace) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  AnalysisOptions options;
  options.step_annotation = "(";
  EXPECT_EQ(Found(b, options).report.source, StepSource::kWholeTrace);
  options.step_annotation = "nothing";
  EXPECT_EQ(Found(b, options).report.source, StepSource::kWholeTrace);
}

TEST(Steps, ExpressionSurvivesAVeryLongName) {
  TraceBuilder b;
  b.Annotation(std::string(1 << 20, 'x'), 0, 100);
  AnalysisOptions options;
  options.step_annotation = "(x|y)*z";
  EXPECT_EQ(Found(b, options).report.source, StepSource::kWholeTrace);
}

TEST(Steps, NestedMatchesEachCountTheirOwnLaunches) {
  TraceBuilder b;
  b.Annotation("step outer", 0, 100);
  b.Annotation("step inner", 10, 50);
  b.Runtime("cudaLaunchKernel", 20, 21, 1);
  b.Runtime("cudaLaunchKernel", 60, 61, 2);
  b.Kernel("k", 30, 40, 1);
  b.Kernel("k", 70, 80, 2);
  AnalysisOptions options;
  options.step_annotation = "step";
  const Found found(b, options);
  EXPECT_EQ(found.report.rows[0].device_events, 2u);
  EXPECT_EQ(found.report.rows[1].device_events, 1u);
}

TEST(Steps, CategoriesFollowPrecedenceAndSumToTheStep) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Operator("aten::mm", 0, 60);
  b.Runtime("cudaLaunchKernel", 10, 20, 1);
  b.Annotation("enumerate(DataLoader)#x.__next__", 60, 75);
  b.Operator("aten::stack", 60, 70);
  b.Annotation("nccl:all_reduce", 76, 80);
  b.Annotation("a name, not work", 76, 100);
  b.Runtime("cudaStreamSynchronize", 78, 90);
  b.Kernel("gemm", 15, 30, 1);
  b.Kernel("ncclDevKernel_AllReduce", 25, 50, 1, 0, 8);
  const SpanRow collective = b.Kernel("custom_all_reduce", 50, 55, 1, 0, 9);
  b.Collective(collective, "allreduce");
  b.Memcpy("Memcpy HtoD (Pinned -> Device)", 28, 33, 1);
  b.Memset("Memset (Device)", 32, 36, 1);
  const Found found(b);
  EXPECT_EQ(found.Time(0, StepCategory::kKernel), 15);         // 15-30
  EXPECT_EQ(found.Time(0, StepCategory::kMemcpy), 3);          // 30-33
  EXPECT_EQ(found.Time(0, StepCategory::kMemset), 3);          // 33-36
  EXPECT_EQ(found.Time(0, StepCategory::kCommunication), 23);  // 36-55, 76-80
  EXPECT_EQ(found.Time(0, StepCategory::kRuntime), 15);        // 10-15, 80-90
  EXPECT_EQ(found.Time(0, StepCategory::kDataloader), 15);     // 60-75
  EXPECT_EQ(found.Time(0, StepCategory::kCpuExec), 15);        // 0-10, 55-60
  EXPECT_EQ(found.Time(0, StepCategory::kOther), 11);
  const StepTimes& times = found.report.rows[0].categories;
  EXPECT_EQ(std::accumulate(times.begin(), times.end(), int64_t{0}), 100);
}

TEST(Steps, FullyCoveredStepHasNothingLeftForLaterCategories) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 10);
  b.Operator("aten::mm", 0, 10);
  b.Runtime("cudaLaunchKernel", 2, 5, 1);
  b.Kernel("k", 0, 10, 1);
  const Found found(b);
  EXPECT_EQ(found.Time(0, StepCategory::kKernel), 10);
  EXPECT_EQ(found.Time(0, StepCategory::kRuntime), 0);
  EXPECT_EQ(found.Time(0, StepCategory::kCpuExec), 0);
}

TEST(Steps, SelectionKeepsRowsAndTheirEvents) {
  TraceBuilder b;
  for (int64_t i = 0; i < 4; ++i) {
    b.Annotation("ProfilerStep#" + std::to_string(i + 5), 100 * i, 100 * i + 100);
    b.Runtime("cudaLaunchKernel", 100 * i + 10, 100 * i + 20, static_cast<uint64_t>(i + 1));
    b.Kernel("k", 100 * i + 30, 100 * i + 40, static_cast<uint64_t>(i + 1));
  }
  AnalysisOptions options;
  options.first_step = 6;
  options.last_step = 7;
  const Found found(b, options);
  ASSERT_EQ(found.report.rows.size(), 2u);
  EXPECT_EQ(found.report.rows[0].name, "6");
  EXPECT_EQ(found.steps.Window(), (Interval{100, 300}));
  const Selection selection(found.steps);
  EXPECT_FALSE(selection.Everything());
  EXPECT_FALSE(selection.HasHostTime(99));
  EXPECT_TRUE(selection.HasHostTime(100));
  EXPECT_FALSE(selection.HasHostTime(300));
  EXPECT_FALSE(selection.HasDeviceEvent(found.trace, found.tree, found.links, 0));
  EXPECT_TRUE(selection.HasDeviceEvent(found.trace, found.tree, found.links, 1));
}

TEST(Steps, SelectionByPositionWhereNamesAreNoNumbers) {
  TraceBuilder b;
  b.Annotation("batch", 0, 10);
  b.Annotation("batch", 10, 20);
  b.Annotation("batch", 20, 30);
  AnalysisOptions options;
  options.step_annotation = "batch";
  options.first_step = 2;
  const Found found(b, options);
  ASSERT_EQ(found.report.rows.size(), 2u);
  EXPECT_EQ(found.report.rows[0].start_ns, 10);
}

TEST(Steps, RangeSelectsNothingOfATraceWithoutSteps) {
  TraceBuilder b;
  b.Operator("aten::mm", 0, 10);
  AnalysisOptions options;
  options.first_step = 0;
  const Found found(b, options);
  EXPECT_EQ(found.steps.source, StepSource::kWholeTrace);
  EXPECT_TRUE(found.report.rows.empty());
  EXPECT_TRUE(Selection(found.steps).Nothing());
}

TEST(Steps, SelectionOfNothingSelectsNothing) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 10);
  AnalysisOptions options;
  options.first_step = 7;
  const Found found(b, options);
  EXPECT_TRUE(found.report.rows.empty());
  EXPECT_FALSE(Selection(found.steps).HasHostTime(5));
  EXPECT_EQ(found.steps.Window(), Interval());
}

TEST(Steps, CategoriesAgreeWithOneMomentAtATime) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    TraceBuilder b;
    auto time = [&](int64_t range) { return static_cast<int64_t>(random()) % range; };
    for (int64_t i = 0; i < 3; ++i) {
      b.Annotation("ProfilerStep#" + std::to_string(i), 40 * i + time(5), 40 * i + 35 + time(5));
    }
    for (uint64_t i = 1; i < 12; ++i) {
      const int64_t start = time(110);
      const int64_t end = start + time(9);
      switch (random() % 8) {
        case 0:
          b.Kernel("k", start, end, i);
          break;
        case 1:
          b.Kernel("ncclKernel", start, end, i);
          break;
        case 2:
          b.Memcpy("Memcpy", start, end, i);
          break;
        case 3:
          b.Memset("Memset", start, end, i);
          break;
        case 4:
          b.Runtime("cudaLaunchKernel", start, end, i, time(2));
          break;
        case 5:
          b.Annotation("enumerate(DataLoader)#", start, end, time(2));
          break;
        case 6:
          b.Annotation("range", start, end, time(2));
          break;
        default:
          b.Operator(random() % 2 == 0 ? "aten::mm" : "gloo:send", start, end, time(2));
          break;
      }
    }
    const Found found(b);
    const SpanTable& spans = b.trace().spans;
    for (size_t s = 0; s < found.steps.rows.size(); ++s) {
      StepTimes expected = {};
      for (int64_t t = found.steps.rows[s].bounds.start_ns; t < found.steps.rows[s].bounds.end_ns;
           ++t) {
        size_t best = kStepCategoryCount - 1;
        for (SpanRow row = 0; row < spans.size(); ++row) {
          if (t < spans.start_ns[row] || t >= spans.end_ns(row)) continue;
          const std::string_view name = b.trace().NameOfSpan(row);
          StepCategory category = StepCategory::kCpuExec;
          if (name.starts_with("Profiler") || name == "range") continue;
          if (name == "k") category = StepCategory::kKernel;
          if (name == "Memcpy") category = StepCategory::kMemcpy;
          if (name == "Memset") category = StepCategory::kMemset;
          if (name == "ncclKernel" || name == "gloo:send") category = StepCategory::kCommunication;
          if (name == "cudaLaunchKernel") category = StepCategory::kRuntime;
          if (name.starts_with("enumerate")) category = StepCategory::kDataloader;
          best = std::min(best, static_cast<size_t>(category));
        }
        ++expected[best];
      }
      ASSERT_EQ(found.report.rows[s].categories, expected) << round;
    }
  }
}

}  // namespace
}  // namespace telltale
