// SPDX-License-Identifier: Apache-2.0
#include "views/diff/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"
#include "views/diff/output.h"

namespace telltale {
namespace {

constexpr int64_t kMs = 1'000'000;

// Two steps: so much of input, so much in `save`, and 50 ms of an operator.
TraceBuilder Steps(
    int64_t input_ms, int64_t save_ms, const char* save = "save",
    const char* loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") {
  TraceBuilder builder;
  int64_t at = 0;
  for (int step = 0; step < 2; ++step) {
    const int64_t begin = at;
    builder.Annotation(loader, at, at + input_ms * kMs);
    at += input_ms * kMs;
    if (save_ms > 0) builder.Annotation(save, at, at + save_ms * kMs);
    at += save_ms * kMs;
    builder.Operator("aten::mm", at, at + 50 * kMs);
    at += 50 * kMs;
    builder.Annotation("ProfilerStep#" + std::to_string(step), begin, at);
  }
  return builder;
}

TEST(CompareCauses, JoinsThemByNameAndPutsTheLargestChangeFirst) {
  TraceBuilder before = Steps(10, 20);
  TraceBuilder after = Steps(40, 0);
  AnalysisOptions options;
  options.threads = 1;
  const TraceContext a = PrepareTrace(before.trace(), options);
  const TraceContext b = PrepareTrace(after.trace(), options);
  const std::vector<DiffCause> rows = CompareCauses({&a, 1}, {&b, 1});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].rule, "dataloader_wait");
  EXPECT_EQ(rows[0].before_ns, 10 * kMs);
  EXPECT_EQ(rows[0].after_ns, 40 * kMs);
  EXPECT_EQ(rows[1].what, "save");
  EXPECT_EQ(rows[1].change_ns(), -20 * kMs);
}

TEST(CompareCauses, OneLoaderIsAsGoodAsAnother) {
  TraceBuilder before = Steps(10, 0);
  TraceBuilder after =
      Steps(12, 0, "save", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  AnalysisOptions options;
  options.threads = 1;
  const TraceContext a = PrepareTrace(before.trace(), options);
  const TraceContext b = PrepareTrace(after.trace(), options);
  const std::vector<DiffCause> rows = CompareCauses({&a, 1}, {&b, 1});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].change_ns(), 2 * kMs);
}

TEST(CompareCauses, KnowsAFunctionAgainWhoseLineHasMoved) {
  TraceBuilder before = Steps(10, 20, "train.py(81): save");
  TraceBuilder after = Steps(10, 20, "train.py(85): save");
  AnalysisOptions options;
  options.threads = 1;
  const TraceContext a = PrepareTrace(before.trace(), options);
  const TraceContext b = PrepareTrace(after.trace(), options);
  const std::vector<DiffCause> rows = CompareCauses({&a, 1}, {&b, 1});
  EXPECT_EQ(rows.size(), 2u);
  for (const DiffCause& row : rows) EXPECT_EQ(row.change_ns(), 0);
}

TEST(DiffAnswer, SaysWhichCauseMadeTheDifference) {
  DiffDocument document;
  document.report.basis = DiffBasis::kStep;
  DiffTable table;
  table.name = "steps";
  table.before = 80 * kMs;
  table.after = 90 * kMs;
  DiffRow step;
  step.name = "step";
  step.before = 80 * kMs;
  step.after = 90 * kMs;
  step.verdict = DiffVerdict::kSlower;
  table.rows = {step};
  document.report.tables = {table};
  document.causes = {{"host_code", "save", "save", 0, 9 * kMs}};
  EXPECT_THAT(DiffAnswer(document, true),
              testing::EndsWith("; 9.00 ms of it because of save: it costs 9.00 ms instead of "
                                "hardly anything."));
  // Others made up for a part of it.
  document.causes[0].after_ns = 14 * kMs;
  EXPECT_THAT(DiffAnswer(document, true),
              testing::EndsWith("; because of save alone it would be 14.0 ms more: it costs 14.0 "
                                "ms instead of hardly anything."));
  // The largest change went the other way.
  document.causes = {{"dataloader_wait", "input", "input", 8 * kMs, 0},
                     {"host_code", "save", "save", kMs, 6 * kMs}};
  EXPECT_THAT(DiffAnswer(document, true),
              testing::EndsWith("; 5.00 ms of it because of save: it costs 6.00 ms instead of "
                                "1.00 ms."));
  document.causes = {{"host_code", "save", "save", 0, 0}};
  document.causes[0].after_ns = kMs;  // too little of the change to be its reason
  EXPECT_THAT(DiffAnswer(document, true), testing::Not(testing::HasSubstr("because")));
}

}  // namespace
}  // namespace telltale
