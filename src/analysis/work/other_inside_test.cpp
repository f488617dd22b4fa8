// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/other_inside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/core/trace_builder.h"
#include "analysis/work/analyze.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Row = std::tuple<std::string, OtherKind, int64_t>;

std::vector<Row> RowsOf(const StepReport& report) {
  std::vector<Row> rows;
  int64_t sum = 0;
  for (const OtherRow& row : report.other_inside) {
    rows.emplace_back(row.what, row.kind, row.ns);
    sum += row.ns;
  }
  EXPECT_EQ(sum, report.average[static_cast<size_t>(StepCategory::kOther)]);
  return rows;
}

std::vector<Row> RowsOf(TraceBuilder& b, const AnalysisOptions& options = {}) {
  return RowsOf(AnalyzeTrace(b.trace(), options).steps);
}

TEST(OtherInside, IsTheInnermostAnnotation) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("train", 0, 100);
  b.Annotation("save_checkpoint", 10, 40);
  b.Operator("aten::copy_", 20, 25);
  EXPECT_THAT(RowsOf(b), ElementsAre(Row("train", OtherKind::kAnnotation, 70),
                                     Row("save_checkpoint", OtherKind::kAnnotation, 25)));
}

TEST(OtherInside, WithoutNamesItIsThePlaceAmongTheOperatorsOfTheStepsThread) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Operator("aten::mm", 10, 20);
  b.Operator("aten::mm", 30, 35);
  b.Runtime("cudaLaunchKernel", 50, 60, 1);
  b.Operator("elsewhere", 70, 80, 2);
  b.Kernel("k", 55, 90, 1);
  EXPECT_THAT(RowsOf(b),
              ElementsAre(Row("between operators", OtherKind::kOperatorGap, 25),  // 20-30, 35-50
                          Row("after the last operator", OtherKind::kUnknown, 10),
                          Row("before the first operator", OtherKind::kUnknown, 10)));
}

TEST(OtherInside, AStepWithoutOperatorsSaysSo) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  EXPECT_THAT(RowsOf(b), ElementsAre(Row("no operator in the step", OtherKind::kUnknown, 100)));
}

TEST(OtherInside, ATraceOfTheDeviceAloneSaysSo) {
  TraceBuilder b;
  b.Kernel("k", 0, 10);
  b.Kernel("k", 40, 50);
  EXPECT_THAT(RowsOf(b), ElementsAre(Row("no operator in the step", OtherKind::kUnknown, 30)));
}

TEST(OtherInside, AfterTheHostsEndTheDeviceIsLeft) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 15);
  b.Runtime("cudaLaunchKernel", 0, 10, 1);
  b.Kernel("k", 30, 40, 1);
  EXPECT_THAT(RowsOf(b),
              ElementsAre(Row("after the step's end on the host", OtherKind::kUnknown, 15),
                          Row("after the last operator", OtherKind::kUnknown, 5)));
}

TEST(OtherInside, OwnFunctionsComeBeforeThoseOfLibraries) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Python("train.py(10): main", 0, 80);
  b.Python("torch/serialization.py(900): save", 10, 50);
  b.Python("train.py(30): hook", 20, 25);
  b.Python("threading.py(1): run", 80, 100);
  b.Python("<built-in method wait of lock object at 0x7f01>", 90, 100);
  EXPECT_THAT(RowsOf(b),
              ElementsAre(Row("train.py(10): main", OtherKind::kPython, 75),
                          Row("<built-in method wait of lock object>", OtherKind::kPython, 10),
                          Row("threading.py(1): run", OtherKind::kPython, 10),
                          Row("train.py(30): hook", OtherKind::kPython, 5)));
}

TEST(OtherInside, OfAnnotationsAndOwnFunctionsTheInnerOneCounts) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Python("train.py(10): main", 0, 100);
  b.Annotation("save_checkpoint", 10, 60);
  b.Python("torch/serialization.py(900): save", 10, 60);
  b.Python("train.py(30): hook", 20, 50);
  EXPECT_THAT(RowsOf(b), ElementsAre(Row("train.py(10): main", OtherKind::kPython, 50),
                                     Row("train.py(30): hook", OtherKind::kPython, 30),
                                     Row("save_checkpoint", OtherKind::kAnnotation, 20)));
}

TEST(OtherInside, AModulesFrameIsNoFunction) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Python("model.py(3): forward", 0, 60);
  b.Python("nn.Module: Linear_0", 10, 50);
  b.Python("nn.Module: Linear_1", 60, 100);
  EXPECT_THAT(RowsOf(b), ElementsAre(Row("model.py(3): forward", OtherKind::kPython, 60),
                                     Row("nn.Module: Linear_1", OtherKind::kPython, 40)));
}

TEST(OtherInside, NamesOfOtherThreadsSayNothing) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("worker", 0, 100, 2);
  b.Python("worker.py(1): run", 0, 100, 2);
  EXPECT_THAT(RowsOf(b), ElementsAre(Row("no operator in the step", OtherKind::kUnknown, 100)));
}

TEST(OtherInside, StepsAreNoNames) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("batch", 10, 90);
  b.Annotation("inner", 20, 30);
  AnalysisOptions options;
  options.step_annotation = "batch";
  EXPECT_THAT(RowsOf(b, options),
              ElementsAre(Row("no operator in the step", OtherKind::kUnknown, 70),
                          Row("inner", OtherKind::kAnnotation, 10)));
}

TEST(OtherInside, WithoutStepsTheThreadThatReachesFurthestCounts) {
  TraceBuilder b;
  b.Operator("aten::linear", 0, 10, 5);
  b.Annotation("loss", 10, 40, 5);
  b.Operator("Backward0", 40, 80, 9);
  b.Annotation("on the other thread", 80, 90, 9);
  b.Operator("aten::add_", 90, 95, 5);
  EXPECT_THAT(RowsOf(b), ElementsAre(Row("loss", OtherKind::kAnnotation, 30),
                                     Row("between operators", OtherKind::kOperatorGap, 10)));
}

TEST(OtherInside, IsTheAverageOfCompleteStepsAndAddsUp) {
  TraceBuilder b;
  b.trace().base_time_ns = 1000;
  for (int64_t i = 0; i < 3; ++i) {
    b.Annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100 * i + 2);
    b.Annotation(std::string(1, static_cast<char>('a' + i)), 100 * i, 100 * i + 1);
    b.Annotation("each", 100 * i + 1, 100 * i + 2);
  }
  const StepReport steps = AnalyzeTrace(b.trace(), {}).steps;
  EXPECT_THAT(RowsOf(steps), ElementsAre(Row("each", OtherKind::kAnnotation, 1),
                                         Row("b", OtherKind::kAnnotation, 1),  // of a, b and c
                                         Row("a", OtherKind::kAnnotation, 0),
                                         Row("c", OtherKind::kAnnotation, 0)));
  EXPECT_EQ(steps.other_inside[0].longest_ns, 1);
  EXPECT_EQ(steps.other_inside[0].longest_start_ns, 1001);
}

TEST(OtherInside, StepsOfSeveralFilesAreOneList) {
  std::vector<ProfileReport> reports;
  for (const int64_t length : {10, 30}) {
    TraceBuilder b;
    b.Annotation("ProfilerStep#1", 0, length);
    b.Annotation("sleep", 0, length);
    reports.push_back(AnalyzeTrace(b.trace(), {}));
  }
  const StepReport steps = MergeReports(reports).steps;
  EXPECT_THAT(RowsOf(steps), ElementsAre(Row("sleep", OtherKind::kAnnotation, 20)));
  EXPECT_EQ(steps.other_inside[0].longest_ns, 30);
  EXPECT_EQ(steps.other_inside[0].file, 1u);
}

TEST(OtherInside, WithoutACompleteStepThereIsNone) {
  TraceBuilder b;
  EXPECT_THAT(RowsOf(b), IsEmpty());
}

// Whatever overlaps whatever: at each moment, of the ranges that hold it, the one that began last.
TEST(OtherInside, AgreesWithOneMomentAtATime) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    TraceBuilder b;
    auto time = [&](int64_t range) { return static_cast<int64_t>(random()) % range; };
    b.Annotation("ProfilerStep#0", 0, 60);
    b.Annotation("ProfilerStep#1", 62, 110);
    for (int i = 0; i < 14; ++i) {
      const int64_t start = time(100);
      const int64_t end = start + time(30);
      switch (random() % 4) {
        case 0:
          b.Operator("op", start, start + time(6), 1 + time(2));
          break;
        case 1:
          b.Annotation("range " + std::to_string(i), start, end);
          break;
        case 2:
          b.Python("own.py(" + std::to_string(i) + "): f", start, end);
          break;
        default:
          b.Python("torch/library.py(" + std::to_string(i) + "): f", start, end);
          break;
      }
    }
    const SpanTable& spans = b.trace().spans;
    const ProfileReport report = AnalyzeTrace(b.trace(), {});
    std::map<std::string, int64_t> expected;
    for (const auto& [from, to] : {std::pair{0, 60}, {62, 110}}) {
      int64_t first = 1000;
      int64_t last = -1;
      for (SpanRow row = 0; row < spans.size(); ++row) {
        const int64_t start = spans.start_ns[row];
        const bool here = spans.track[row] == spans.track[0] && start >= from && start < to;
        if (b.trace().NameOfSpan(row) != "op" || !here || spans.duration_ns[row] == 0) continue;
        first = std::min(first, start);
        last = std::max(last, start);
      }
      for (int64_t t = from; t < to; ++t) {
        bool covered = false;
        SpanRow best = kNoRow;
        bool best_own = false;
        const auto order = [&](SpanRow row) {
          return std::tuple(spans.start_ns[row], -spans.duration_ns[row], row);
        };
        for (SpanRow row = 2; row < spans.size(); ++row) {
          if (t < spans.start_ns[row] || t >= spans.end_ns(row)) continue;
          const std::string_view name = b.trace().NameOfSpan(row);
          covered |= name == "op";
          const bool own = !name.starts_with("torch/");
          if (best == kNoRow || own > best_own || (own == best_own && order(row) > order(best))) {
            best = row;
            best_own = own;
          }
        }
        if (covered) continue;
        if (best != kNoRow) {
          ++expected[std::string(b.trace().NameOfSpan(best))];
        } else if (last < 0) {
          ++expected["no operator in the step"];
        } else if (t < first) {
          ++expected["before the first operator"];
        } else {
          ++expected[t < last ? "between operators" : "after the last operator"];
        }
      }
    }
    std::map<std::string, int64_t> found;
    for (const OtherRow& row : report.steps.other_inside) found[row.what] = row.total_ns;
    ASSERT_EQ(found, expected) << round;
    (void)RowsOf(report.steps);
  }
}

}  // namespace
}  // namespace telltale
