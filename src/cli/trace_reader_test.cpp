// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "cli/operators_report.h"
#include "runs/test_folder.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kTrace = "profiler/ops.1700000000000000000.pt.trace.json";

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

JsonValue Settings(std::string_view sort, int64_t rows, bool by_shape) {
  JsonValue settings = JsonValue::Object();
  settings.Set("sort_by_key", JsonValue::String(std::string(sort)));
  settings.Set("row_limit", JsonValue::Int(rows));
  settings.Set("group_by_input_shapes", JsonValue::Bool(by_shape));
  return settings;
}

TEST(TraceReader, HasTheAnswerWhenTheProgramEnds) {
  TestFolder folder;
  const JsonValue settings = Settings("auto", 100, false);
  TraceReader reader(folder / "profiler", settings);
  folder.Write(kTrace, SmallTrace());
  const TraceReader::Outcome outcome = reader.End();
  EXPECT_TRUE(outcome.is_done);
  EXPECT_THAT(outcome.answer, StartsWith("A step takes "));
  EXPECT_EQ(outcome.problem, "");
  const std::string table = TextOf(folder / "profiler/operators.txt");
  EXPECT_THAT(table, HasSubstr("# of Calls"));
  EXPECT_THAT(table, HasSubstr("aten::mm"));
}

TEST(TraceReader, WithoutATraceThereIsNothingToSay) {
  TestFolder folder;
  const JsonValue settings = Settings("auto", 100, false);
  TraceReader reader(folder / "profiler", settings);
  const TraceReader::Outcome outcome = reader.End();
  EXPECT_TRUE(outcome.is_done);
  EXPECT_EQ(outcome.answer + outcome.problem, "");
  EXPECT_FALSE(std::filesystem::exists(folder / "profiler"));
}

TEST(TraceReader, SaysWhatIsWrongWithATrace) {
  TestFolder folder;
  folder.Write(kTrace, "no trace at all");
  const JsonValue settings = Settings("auto", 100, false);
  TraceReader reader(folder / "profiler", settings);
  const TraceReader::Outcome outcome = reader.End();
  EXPECT_TRUE(outcome.is_done);
  EXPECT_EQ(outcome.answer, "");
  EXPECT_NE(outcome.problem, "");
}

TEST(OperatorsReport, OrderRowsAndGroupsAreSettings) {
  TestFolder folder;
  folder.Write(kTrace, SmallTrace());
  const auto table = [&](std::string_view sort, int64_t rows, bool by_shape) {
    const auto report = ReportOperators(folder / "profiler", Settings(sort, rows, by_shape));
    return report ? report->table : report.error().message;
  };
  const std::string by_device = table("auto", 100, false);
  // The device has work here: its time decides.
  EXPECT_EQ(by_device, table("cuda_time_total", 100, false));
  EXPECT_NE(by_device, table("count", 100, false));
  EXPECT_THAT(table("auto", 100, true), HasSubstr("[[8, 4], [4, 2]]"));
  EXPECT_THAT(by_device, testing::Not(HasSubstr("[[8, 4], [4, 2]]")));
  EXPECT_LT(table("auto", 1, false).size(), by_device.size());
  EXPECT_EQ(table("auto", -1, false), by_device);
}

TEST(OperatorsReport, WhatATableCanBeSortedBy) {
  EXPECT_TRUE(CheckOperatorSort("auto"));
  EXPECT_TRUE(CheckOperatorSort("self_cuda_time_total"));
  EXPECT_THAT(CheckOperatorSort("times").error().message, HasSubstr("times"));
}

}  // namespace
}  // namespace telltale
