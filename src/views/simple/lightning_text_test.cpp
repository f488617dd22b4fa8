// SPDX-License-Identifier: Apache-2.0
#include "views/simple/lightning_text.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ActionRow Row(std::string name, uint64_t calls, int64_t total_ns, int64_t wall_ns,
              uint32_t file = 0) {
  ActionRow row;
  row.file = file;
  row.name = std::move(name);
  row.calls = calls;
  row.total_ns = total_ns;
  row.wall_ns = wall_ns;
  return row;
}

// As Lightning 2.6 prints it: tabs, blanks behind the numbers, and a ruler one longer than the
// head.
TEST(LightningText, IsTheReportOfItsSimpleProfiler) {
  const std::vector<ActionRow> rows = {Row("run_training_epoch", 2, 192'660'000, 418'040'000),
                                       Row("on_fit_end", 1, 1'052, 418'040'000)};
  const std::string ruler(122, '-');
  EXPECT_EQ(
      LightningText(rows, {"spans"}, std::nullopt, {}),
      "Profiler Report\n\n" + ruler +
          "\n|  Action            \t|  Mean duration (s)\t|  Num calls      \t|  Total time (s) "
          "\t|  Percentage %   \t|\n" +
          ruler +
          "\n|  Total             \t|  -              \t|  3              \t|  0.41804        "
          "\t|  100 %          \t|\n" +
          ruler +
          "\n|  run_training_epoch\t|  0.09633        \t|  2              \t|  0.19266        "
          "\t|  46.086         \t|\n"
          "|  on_fit_end        \t|  1.052e-06      \t|  1              \t|  1.052e-06      "
          "\t|  0.00025165     \t|\n" +
          ruler + "\n");
}

// f"{value:.5}"
TEST(LightningText, NumbersArePythons) {
  const auto total = [](int64_t total_ns) {
    const std::string text = LightningText({Row("a", 1, total_ns, 0)}, {""}, std::nullopt, {});
    const size_t at = text.find("|  a\t|  ") + 8;
    return text.substr(at, text.find(' ', at) - at);
  };
  EXPECT_EQ(total(1'000'000'000), "1.0");
  EXPECT_EQ(total(100'000'000'000), "100.0");
  EXPECT_EQ(total(1'234'560'000'000), "1234.6");
  EXPECT_EQ(total(9'999'960'000'000), "1e+04");
  EXPECT_EQ(total(12'345'600'000'000), "1.2346e+04");
  EXPECT_EQ(total(100'000), "0.0001");
  EXPECT_EQ(total(10'000), "1e-05");
  EXPECT_EQ(total(0), "0.0");
}

TEST(LightningText, FilesHaveReportsOfTheirOwn) {
  const std::vector<ActionRow> rows = {Row("b", 1, 5, 10, 1), Row("a", 1, 7, 10, 0),
                                       Row("c", 1, 3, 10, 0)};
  const std::string text = LightningText(rows, {"rank 0", "rank 1"}, 1, {});
  EXPECT_THAT(text, StartsWith("rank 0 Profiler Report\n\n"));
  EXPECT_THAT(text, HasSubstr("-\n\nrank 1 Profiler Report\n\n"));
  EXPECT_THAT(text, Not(HasSubstr("|  c")));
  EXPECT_LT(text.find("|  a"), text.find("|  b"));
}

TEST(LightningText, NothingIsTheHeadingAlone) {
  EXPECT_EQ(LightningText({}, {}, std::nullopt, {}), "Profiler Report\n\n");
}

}  // namespace
}  // namespace telltale
