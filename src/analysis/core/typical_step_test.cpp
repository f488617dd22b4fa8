// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/typical_step.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

StepReport Steps(std::initializer_list<StepRow> rows) {
  StepReport steps;
  steps.rows = rows;
  return steps;
}

StepRow Step(std::string name, int64_t duration_ns, bool complete = true, uint32_t file = 0) {
  StepRow row;
  row.name = std::move(name);
  row.duration_ns = duration_ns;
  row.complete = complete;
  row.file = file;
  return row;
}

TEST(TypicalStep, IsTheCompleteOneOfMedianDuration) {
  const StepReport odd = Steps({Step("1", 30), Step("2", 10), Step("3", 20), Step("4", 1, false)});
  EXPECT_EQ(TypicalStep(odd), &odd.rows[2]);
  const StepReport even = Steps({Step("1", 40), Step("2", 10), Step("3", 30), Step("4", 20)});
  EXPECT_EQ(TypicalStep(even), &even.rows[2]) << "of two in the middle the longer one";
}

TEST(TypicalStep, IsOneOfTheFileThatIsAskedFor) {
  const StepReport steps =
      Steps({Step("1", 10), Step("2", 20), Step("1", 100, true, 1), Step("2", 200, true, 1)});
  EXPECT_EQ(TypicalStep(steps, 0), &steps.rows[1]);
  EXPECT_EQ(TypicalStep(steps, 1), &steps.rows[3]);
  EXPECT_EQ(TypicalStep(steps, 2), nullptr);
}

TEST(TypicalStep, IsNoneWhereNoneIsComplete) {
  EXPECT_EQ(TypicalStep(Steps({Step("1", 10, false)})), nullptr);
  EXPECT_EQ(TypicalStep(Steps({})), nullptr);
}

}  // namespace
}  // namespace telltale
