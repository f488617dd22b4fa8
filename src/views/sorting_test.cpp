// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "views/operators/operators.h"
#include "views/row_range.h"
#include "views/sample_profile.h"
#include "views/table_data.h"
#include "views/torch_names.h"
#include "views/view.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> NamesOf(const std::vector<OperatorRow>& rows) {
  std::vector<std::string> names;
  for (const OperatorRow& row : rows) names.push_back(row.name);
  return names;
}

Result<std::string> SortFieldFor(std::string_view view, std::string_view text) {
  const ViewSpec& spec = *ViewNamed(view);
  return spec.sort_key != nullptr ? spec.sort_key(text)
                                  : SortFieldOf(spec.name, spec.sort_fields, {}, text);
}

TEST(SortFieldFor, AcceptsTheContractsNames) {
  EXPECT_EQ(SortFieldFor("operators", "host_self_ns").value(), "host_self_ns");
  EXPECT_EQ(SortFieldFor("operators", "host-self-ns").value(), "host_self_ns");
  EXPECT_EQ(SortFieldFor("kernels", "max_ns").value(), "max_ns");
  EXPECT_EQ(SortFieldFor("steps", "dataloader").value(), "dataloader");
  EXPECT_EQ(SortFieldFor("events", "duration_ns").value(), "duration_ns");
}

TEST(SortFieldFor, AcceptsTorchsNames) {
  const std::vector<std::pair<std::string_view, std::string_view>> names = {
      {"cpu_time_total", "host_total_ns"},
      {"self_cpu_time_total", "host_self_ns"},
      {"cuda_time_total", "device_total_ns"},
      {"device_time_total", "device_total_ns"},
      {"self_cuda_time_total", "device_self_ns"},
      {"self_device_time_total", "device_self_ns"},
      {"self_xpu_time_total", "device_self_ns"},
      {"xpu_time_total", "device_total_ns"},
      {"cpu_time", "host_mean_ns"},
      {"cuda_time", "device_mean_ns"},
      {"count", "calls"},
      {"cpu_memory_usage", "memory_total_bytes"},
      {"self_cpu_memory_usage", "memory_self_bytes"},
      {"self_cuda_memory_usage", "memory_self_bytes"},
      {"flops", "flops"},
  };
  for (const auto& [torch, ours] : names) {
    ASSERT_TRUE(SortFieldFor("operators", torch)) << torch;
    EXPECT_EQ(SortFieldFor("operators", torch).value(), ours) << torch;
  }
  EXPECT_EQ(SortFieldFor("kernels", "cuda_time_total").value(), "total_ns");
}

TEST(SortFieldFor, SuggestsAndLists) {
  const Result<std::string> wrong = SortFieldFor("operators", "self_cpu_time");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
  EXPECT_THAT(wrong.error().message, HasSubstr("did you mean 'self_cpu_time_total'?"));
  EXPECT_THAT(wrong.error().message, HasSubstr("valid: name, kind, input_shapes"));
  EXPECT_THAT(SortFieldFor("kernels", "total").error().message,
              HasSubstr("did you mean 'total_ns'?"));
}

TEST(SortRows, LargestFirstTiesByNameThenOccurrence) {
  std::vector<OperatorRow> rows = {SampleOperator("b", 5, 1, 0), SampleOperator("c", 9, 1, 0),
                                   SampleOperator("a", 5, 1, 0), SampleOperator("a", 5, 2, 0)};
  rows[2].first_event = 8;
  rows[3].first_event = 4;
  SortRows(rows, OperatorColumns(), "calls");
  EXPECT_THAT(NamesOf(rows), ElementsAre("c", "a", "a", "b"));
  EXPECT_EQ(rows[1].first_event, 4u);
}

TEST(SortRows, MissingValuesComeLastAndTextGoesUp) {
  std::vector<OperatorRow> rows = {SampleOperator("none", 1, 1, 0),
                                   SampleOperator("small", 1, 1, 0),
                                   SampleOperator("large", 1, 1, 0)};
  rows[1].flops = 10;
  rows[2].flops = 1'000;
  SortRows(rows, OperatorColumns(), "flops");
  EXPECT_THAT(NamesOf(rows), ElementsAre("large", "small", "none"));
  SortRows(rows, OperatorColumns(), "name");
  EXPECT_THAT(NamesOf(rows), ElementsAre("large", "none", "small"));
}

TEST(SortRows, KnowsMeans) {
  std::vector<OperatorRow> rows = {SampleOperator("often", 100, 500, 0),
                                   SampleOperator("once", 1, 50, 0)};
  SortRows(rows, OperatorColumns(), "host_mean_ns");
  EXPECT_THAT(NamesOf(rows), ElementsAre("once", "often"));
}

TEST(Limited, ZeroAndBelowMeanAll) {
  EXPECT_EQ(Limited(7, 0), 7u);
  EXPECT_EQ(Limited(7, -1), 7u);
  EXPECT_EQ(Limited(7, 3), 3u);
  EXPECT_EQ(Limited(7, 30), 7u);
}

}  // namespace
}  // namespace telltale
