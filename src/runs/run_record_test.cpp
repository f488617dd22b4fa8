// SPDX-License-Identifier: Apache-2.0
#include "runs/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;

TEST(RunRecord, TakesWhatIsThereAndNothingElse) {
  Diagnostics diagnostics;
  const auto record = ReadRunRecord(R"({"steps": 12, "total_steps": "many", "signal": 9,
      "command": ["python", "train.py"], "tags": ["a", 3], "status": "Failed",
      "error": {"type": "ValueError", "message": "bad",
                "frames": [{"file": "a.py", "line": 3, "function": "f"}, 5]},
      "start": "1970-01-01T00:00:01Z",
      "ranks": [{"rank": 0, "status": "Failed", "exit_code": 1, "signal": "SIGTERM"}, {"pid": 3},
                null]})",
                                    diagnostics);
  ASSERT_TRUE(record);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(record->steps, 12);
  EXPECT_FALSE(record->total_steps);
  EXPECT_EQ(record->signal, 9);
  EXPECT_EQ(record->status, RunStatus::kFailed);
  EXPECT_EQ(record->start_ns, 1'000'000'000);
  EXPECT_THAT(record->command, ElementsAre("python", "train.py"));
  EXPECT_THAT(record->tags, ElementsAre("a"));
  const std::optional<RunFailure> failure = FailureOf(*record);
  ASSERT_TRUE(failure);
  ASSERT_EQ(failure->frames.size(), 2U);
  EXPECT_EQ(failure->frames[0].line, 3);
  ASSERT_EQ(record->ranks.size(), 2U);
  EXPECT_EQ(record->ranks[0].exit_code, 1);
  EXPECT_EQ(record->ranks[0].signal, 15);
  EXPECT_EQ(record->ranks[1].pid, 3);
}

TEST(RunRecord, SaysWhatItCannotUnderstand) {
  for (const char* const text : {"[1, 2", "null", ""}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(ReadRunRecord(text, diagnostics)) << text;
    EXPECT_FALSE(diagnostics.empty()) << text;
  }
  Diagnostics diagnostics;
  const auto record = ReadRunRecord(R"({"status": "Sleeping", "error": "x"})", diagnostics);
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->status);
  EXPECT_FALSE(FailureOf(*record));
  EXPECT_FALSE(diagnostics.empty());
}

}  // namespace
}  // namespace telltale
