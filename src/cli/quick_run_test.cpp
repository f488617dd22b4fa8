// SPDX-License-Identifier: Apache-2.0
#include "cli/quick_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<JsonValue> Parse(std::vector<std::string> words) {
  words.insert(words.end(), {"--", "python", "train.py"});
  const Result<Arguments> arguments = ParseArguments(RunCommandSpec(), words);
  if (!arguments) return tl::unexpected(arguments.error());
  return MakeQuickRun(*arguments);
}

std::string Variable(const std::vector<std::string>& words) {
  const Result<JsonValue> values = Parse(words);
  if (!values) return values.error().message;
  Environment environment;
  SetQuickRun(environment, *values);
  return std::string(environment.Get("TELLTALE_QUICK"));
}

TEST(QuickRun, ACountOfBatchesIsNoShare) {
  EXPECT_EQ(Variable({"--limit-train-batches=4"}), R"({"limit_train_batches": 4})");
  EXPECT_EQ(Variable({"--limit-train-batches=1"}), R"({"limit_train_batches": 1})");
  EXPECT_EQ(Variable({"--limit-train-batches=0"}), R"({"limit_train_batches": 0})");
  EXPECT_EQ(Variable({"--limit-train-batches=0.25"}), R"({"limit_train_batches": 0.25})");
  EXPECT_EQ(Variable({"--limit-train-batches=25%"}), R"({"limit_train_batches": 0.25})");
  EXPECT_EQ(Variable({"--limit-train-batches=100%"}), R"({"limit_train_batches": 1.0})");
  EXPECT_EQ(Variable({"--limit-train-batches=1.0"}), R"({"limit_train_batches": 1.0})");
  EXPECT_EQ(Variable({"--limit-train-batches=4.0"}), R"({"limit_train_batches": 4})");
}

TEST(QuickRun, TheNamesPeopleKnow) {
  for (const char* name : {"--fast-dev-run=2", "--fast_dev_run=2", "--pl_fast_dev_run=2",
                           "--pl-fast-dev-run=2", "trainer.fast_dev_run=2"}) {
    EXPECT_EQ(Variable({name}), R"({"fast_dev_run": 2})") << name;
  }
  EXPECT_EQ(Variable({"--num_epochs=1"}), R"({"max_epochs": 1})");
  EXPECT_EQ(Variable({"trainer.max_epochs=1", "trainer.limit_val_batches=0.1"}),
            R"({"limit_val_batches": 0.1, "max_epochs": 1})");
  EXPECT_EQ(Variable({"--pl-limit-train-batches", "4"}), R"({"limit_train_batches": 4})");
}

TEST(QuickRun, SwitchesAndOptionalValues) {
  EXPECT_EQ(Variable({"--fast-dev-run"}), R"({"fast_dev_run": 1})");
  EXPECT_EQ(Variable({"--pl_fast_dev_run", "2"}), R"({"fast_dev_run": 2})");
  EXPECT_EQ(Variable({"trainer.fast_dev_run=True"}), R"({"fast_dev_run": 1})");
  EXPECT_EQ(Variable({"--fast-dev-run=false"}), "");
  EXPECT_EQ(Variable({"--detect-anomaly", "--pl_deterministic=True"}),
            R"({"detect_anomaly": true, "deterministic": true})");
  EXPECT_EQ(Variable({"--debug-ddp"}), R"({"debug_ddp": "DETAIL"})");
  EXPECT_EQ(Variable({"--debug-ddp=info"}), R"({"debug_ddp": "INFO"})");
}

TEST(QuickRun, Times) {
  for (const auto& [text, seconds] : std::vector<std::pair<std::string, int>>{{"90", 90},
                                                                              {"10s", 10},
                                                                              {"5m", 300},
                                                                              {"1.5h", 5400},
                                                                              {"2d", 172800},
                                                                              {"00:00:10:00", 600},
                                                                              {"1:00:00:00", 86400},
                                                                              {"01:30", 90}}) {
    EXPECT_EQ(Variable({"--max-time", text}), fmt::format(R"({{"max_time": {}}})", seconds))
        << text;
  }
}

TEST(QuickRun, Subjects) {
  EXPECT_EQ(Variable({"--restrict-subjects=4,1,2"}), R"({"restrict_subjects": [4,1,2]})");
  EXPECT_EQ(Variable({"--restrict_subjects=4"}), R"({"restrict_subjects": [4,4,4]})");
  EXPECT_EQ(Variable({"--restrict_subjects=4,,0"}), R"({"restrict_subjects": [4,null,0]})");
}

TEST(QuickRun, WrongValuesAreRefusedBeforeAnythingStarts) {
  for (const char* word : {"--limit-train-batches=-1",
                           "--limit-train-batches=1.5",
                           "--limit-train-batches=120%",
                           "--limit-train-batches=x",
                           "--limit-train-batches=",
                           "--max-epochs=0",
                           "--max-epochs=x",
                           "--max-steps=0",
                           "--max-time=0",
                           "--max-time=soon",
                           "--max-time=1:2:3:4:5",
                           "--restrict-subjects=1,2",
                           "--restrict-subjects=",
                           "--restrict-subjects=-1,1,1",
                           "--restrict-subjects=0,0,+",
                           "--fast-dev-run=x",
                           "--detect-anomaly=maybe",
                           "--debug-ddp=LOUD",
                           "--num-workers=-1",
                           "--seed=x",
                           "--num-sanity-val-steps=-2"}) {
    EXPECT_FALSE(Parse({word})) << word;
  }
  EXPECT_THAT(Variable({"--fast-dev-rum=2"}), HasSubstr("did you mean '--fast-dev-run'?"));
  EXPECT_THAT(Variable({"trainer.max_epoch=2"}), HasSubstr("did you mean '--max-epochs'?"));
}

TEST(QuickRun, WordsOfTheProgramAreItsOwn) {
  const Result<Arguments> arguments =
      ParseArguments(RunCommandSpec(), std::vector<std::string>{"python", "x.py", "trainer.lr=1"});
  ASSERT_TRUE(arguments);
  EXPECT_THAT(arguments->positionals(), ElementsAre("python", "x.py", "trainer.lr=1"));
}

TEST(QuickRun, VariablesThatLibrariesRead) {
  Environment environment;
  SetQuickRun(environment, *Parse({"--debug-ddp", "--deterministic", "--seed=7"}));
  EXPECT_EQ(environment.Get("TORCH_DISTRIBUTED_DEBUG"), "DETAIL");
  EXPECT_EQ(environment.Get("TORCH_CPP_LOG_LEVEL"), "INFO");
  EXPECT_EQ(environment.Get("CUBLAS_WORKSPACE_CONFIG"), ":4096:8");
  EXPECT_EQ(environment.Get("PYTHONHASHSEED"), "7");
  environment.Set("TELLTALE_QUICK", "of another run");
  SetQuickRun(environment, JsonValue());
  EXPECT_FALSE(environment.Has("TELLTALE_QUICK"));
}

TEST(QuickRun, WhatIsSaid) {
  const JsonValue values =
      *Parse({"--limit-train-batches=100%", "--seed=7", "--pdb", "--restrict-subjects=4,,2"});
  EXPECT_EQ(QuickRunLine(values),
            "quick run: --limit-train-batches=1.0, --restrict-subjects=4,,2, --seed=7, --pdb");
  EXPECT_EQ(QuickRunArgs(values),
            "quick_run.limit_train_batches: 1.0\nquick_run.restrict_subjects: [4,null,2]\n"
            "quick_run.seed: 7\nquick_run.pdb: True\n");
  EXPECT_THAT(QuickRunRemarks(QuickRunAtStart(*Parse({"--max-epochs=1", "--pdb"}))),
              ElementsAre("not applied to this program: --max-epochs (no training with torch was "
                          "seen)"));
  EXPECT_TRUE(QuickRunAtStart(JsonValue()).IsNull());
}

}  // namespace
}  // namespace telltale
