// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/diff.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

// Steps of 1000 ns in which one operator takes as long as asked, with one kernel below.
struct Capture {
  std::string op = "aten::mm";
  std::string kernel = "sm80_gemm";
  std::string shapes = "[[4,4],[4,4]]";
  std::vector<int64_t> host;
  std::vector<int64_t> device;
};

void Fill(TraceBuilder& b, const Capture& run) {
  for (size_t i = 0; i < run.host.size(); ++i) {
    const int64_t t = static_cast<int64_t>(i) * 1000;
    b.Annotation("ProfilerStep#" + std::to_string(i), t, t + 900);
    const SpanRow op = b.Operator(run.op, t + 10, t + 10 + run.host[i]);
    b.OperatorDetailOf(op).input_dims = b.Text(run.shapes);
    if (run.device.empty()) continue;
    const auto correlation = static_cast<uint64_t>(i + 1);
    b.Runtime("cudaLaunchKernel", t + 10, t + 20, correlation);
    b.Kernel(run.kernel, t + 30, t + 30 + run.device[i], correlation);
  }
}

DiffReport DiffOf(const Capture& before, const Capture& after) {
  TraceBuilder a;
  TraceBuilder b;
  Fill(a, before);
  Fill(b, after);
  AnalysisOptions options;
  options.threads = 1;
  std::vector<TraceContext> x;
  std::vector<TraceContext> y;
  x.push_back(PrepareTrace(a.trace(), options));
  y.push_back(PrepareTrace(b.trace(), options));
  return DiffTraces(x, y);
}

DiffTable TableOf(const DiffReport& report, std::string_view name) {
  for (const DiffTable& table : report.tables) {
    if (table.name == name) return table;
  }
  return {};
}

DiffRow RowOf(const DiffReport& report, std::string_view table, std::string_view name) {
  const DiffTable found = TableOf(report, table);
  for (const DiffRow& row : found.rows) {
    if (row.name == name) return row;
  }
  return {};
}

TEST(Diff, CapturesOfDifferentLengthCompareByStep) {
  Capture before;
  before.host = {100, 102, 98, 100};
  Capture after;
  after.host = {200, 202};
  const DiffReport report = DiffOf(before, after);
  EXPECT_EQ(report.basis, DiffBasis::kStep);
  EXPECT_EQ(report.samples_before, 4u);
  EXPECT_EQ(report.samples_after, 2u);
  const DiffRow& row = RowOf(report, "operators", "aten::mm");
  EXPECT_EQ(row.before, 100);
  EXPECT_EQ(row.after, 201);
  EXPECT_DOUBLE_EQ(row.calls_before, 1);
  EXPECT_NEAR(*row.change_share, 1.01, 1e-9);
  EXPECT_EQ(row.verdict, DiffVerdict::kSlower);
}

TEST(Diff, ASpreadHidesASmallChange) {
  Capture before;
  before.host = {100, 200, 150, 120};
  Capture after;
  after.host = {110, 210, 160, 130};
  const DiffRow& row = RowOf(DiffOf(before, after), "operators", "aten::mm");
  EXPECT_EQ(row.verdict, DiffVerdict::kNoise);
  EXPECT_GT(*row.p_value, 0.5);
}

TEST(Diff, AChangeBelowOnePercentIsNoise) {
  Capture before;
  before.host = {800, 800, 800};
  Capture after;
  after.host = {804, 804, 804};
  const DiffRow& row = RowOf(DiffOf(before, after), "operators", "aten::mm");
  EXPECT_EQ(row.p_value, 0);
  EXPECT_EQ(row.verdict, DiffVerdict::kNoise);
}

TEST(Diff, OneStepHasNoSpread) {
  Capture before;
  before.host = {100};
  Capture after;
  after.host = {300};
  const DiffRow& row = RowOf(DiffOf(before, after), "operators", "aten::mm");
  EXPECT_EQ(row.verdict, DiffVerdict::kNoSpread);
  EXPECT_FALSE(row.p_value.has_value());
}

TEST(Diff, NamesWhatIsNewAndGone) {
  Capture before;
  before.host = {100, 100};
  Capture after;
  after.op = "aten::bmm";
  after.host = {100, 100};
  const DiffReport report = DiffOf(before, after);
  EXPECT_EQ(RowOf(report, "operators", "aten::mm").verdict, DiffVerdict::kGone);
  EXPECT_EQ(RowOf(report, "operators", "aten::bmm").verdict, DiffVerdict::kNew);
  EXPECT_FALSE(RowOf(report, "operators", "aten::bmm").change_share.has_value());
}

TEST(Diff, FindsRenamedKernelsByOperatorAndShapes) {
  Capture before;
  before.host = {100, 100};
  before.device = {50, 52};
  Capture after = before;
  after.kernel = "sm90_gemm";
  after.device = {20, 22};
  const DiffReport report = DiffOf(before, after);
  ASSERT_EQ(TableOf(report, "kernels").rows.size(), 1u);
  const DiffRow row = TableOf(report, "kernels").rows[0];
  EXPECT_EQ(row.name, "sm90_gemm");
  EXPECT_EQ(row.renamed_from, "sm80_gemm");
  EXPECT_EQ(row.verdict, DiffVerdict::kFaster);
  after.shapes = "[[8,8],[8,8]]";
  EXPECT_EQ(TableOf(DiffOf(before, after), "kernels").rows.size(), 2u);
}

TEST(Diff, StepCategoriesSumToTheStep) {
  Capture before;
  before.host = {100, 110, 120};
  before.device = {300, 310, 320};
  Capture after = before;
  after.device = {700, 710, 720};
  const DiffTable table = TableOf(DiffOf(before, after), "steps");
  EXPECT_EQ(table.rows[0].name, "step");
  int64_t before_sum = 0;
  int64_t after_sum = 0;
  for (size_t i = 1; i < table.rows.size(); ++i) {
    before_sum += table.rows[i].before;
    after_sum += table.rows[i].after;
  }
  EXPECT_EQ(before_sum, table.before);
  EXPECT_EQ(after_sum, table.after);
}

TEST(Diff, TheGateLooksAtGrowthThatIsNoNoise) {
  Capture before;
  before.host = {100, 101, 99};
  Capture after;
  after.host = {110, 111, 109};
  const DiffReport report = DiffOf(before, after);
  const DiffTable& operators = TableOf(report, "operators");
  ASSERT_NE(FirstWorse(operators, 0.05), nullptr);
  EXPECT_EQ(FirstWorse(operators, 0.05)->name, "aten::mm");
  EXPECT_EQ(FirstWorse(operators, 0.2), nullptr);
  // The steps themselves are as long as before.
  EXPECT_EQ(FirstWorse(TableOf(report, "steps"), 0.01), nullptr);
  after.host = {50, 240, 40};
  const DiffReport noisy = DiffOf(before, after);
  EXPECT_EQ(FirstWorse(TableOf(noisy, "operators"), 0.01), nullptr);
}

TEST(Diff, FunctionsAreJoinedWhateverTheirLine) {
  const auto profile = [](int64_t line, double seconds) {
    FunctionProfile p;
    p.shape = FunctionShape::kPairs;
    p.functions.push_back({p.strings.Intern("a.py"), line, p.strings.Intern("f"), kNoString});
    FunctionTotals totals;
    totals.calls = totals.primitive_calls = 3;
    totals.self_s = totals.total_s = seconds;
    p.totals.push_back(totals);
    return p;
  };
  const FunctionProfile before = profile(10, 1.0);
  const FunctionProfile after = profile(12, 1.5);
  const DiffReport report = DiffFunctions(std::vector{&before}, std::vector{&after});
  EXPECT_EQ(report.basis, DiffBasis::kProfile);
  ASSERT_EQ(report.tables[0].rows.size(), 1u);
  const DiffRow& row = report.tables[0].rows[0];
  EXPECT_EQ(row.name, "a.py: f");
  EXPECT_EQ(row.before, 1'000'000'000);
  EXPECT_EQ(row.after, 1'500'000'000);
  EXPECT_EQ(row.verdict, DiffVerdict::kNoSpread);
}

}  // namespace
}  // namespace telltale
