// SPDX-License-Identifier: Apache-2.0
#include "cli/run_profilers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<ProfilerChoice> Choose(std::vector<std::string> words) {
  words.insert(words.end(), {"--", "python", "train.py"});
  const Result<Arguments> arguments = ParseArguments(RunCommandSpec(), words);
  if (!arguments) return tl::unexpected(arguments.error());
  return ChooseProfilers(*arguments);
}

std::string MessageOf(std::vector<std::string> words) {
  const Result<ProfilerChoice> choice = Choose(std::move(words));
  if (choice) return "no error";
  EXPECT_EQ(choice.error().code, ErrorCode::kUsage);
  return choice.error().message;
}

TEST(RunProfilers, NoneUnlessAskedFor) {
  const auto choice = Choose({});
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->names.empty());
  EXPECT_TRUE(choice->ToRecord().IsNull());
  EXPECT_TRUE(choice->ToArgs().empty());
}

TEST(RunProfilers, EveryNameThatPeopleKnow) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--profile", "ops,simple"},
        {"--profile=simple", "--profile", "pytorch"},
        {"--profiler=simple,ops"},
        {"--pl_profiler", "simple", "--pl-profiler=pytorch"},
        {"profiler=simple", "--profile=ops"},
        {"profiler=ops,simple,ops"}}) {
    const auto choice = Choose(words);
    ASSERT_TRUE(choice) << words[0];
    EXPECT_EQ(choice->Names(), "simple,ops") << words[0];
  }
  EXPECT_THAT(Choose({"--profile=all"})->names, ElementsAre("simple", "advanced", "ops", "sample"));
}

TEST(RunProfilers, WhatIsNotKnownIsRefused) {
  EXPECT_EQ(MessageOf({"--profile=opss"}),
            "--profile 'opss' is not known; did you mean 'ops'?\n"
            "valid: simple, advanced, ops, sample, all");
  EXPECT_THAT(MessageOf({"--profile="}), HasSubstr("--profile needs a name"));
  EXPECT_THAT(MessageOf({"--profile=ops,"}), HasSubstr("'' is not known"));
  EXPECT_THAT(MessageOf({"--profle=ops"}), HasSubstr("did you mean '--profile'"));
}

TEST(RunProfilers, SettingsAreCheckedAndAllInForceAreNamed) {
  const auto choice =
      Choose({"--profile=ops", "profiler.with_stack=True", "profiler.with-modules=1",
              "profiler.memory=yes", "profiler.active=5", "profiler.shapes=off"});
  ASSERT_TRUE(choice);
  EXPECT_EQ(ToJsonText(choice->settings),
            R"({"skip_first":10,"wait":0,"warmup":1,"active":5,"repeat":1,"record_shapes":false,)"
            R"("profile_memory":true,"with_stack":true,"with_modules":true,"sort_by_key":"auto",)"
            R"("row_limit":100,"group_by_input_shapes":false})");
  EXPECT_THAT(ToJsonText(choice->ToRecord()), HasSubstr(R"({"profilers":["ops"],"settings":{)"));
  EXPECT_THAT(choice->ToArgs(), testing::Contains(std::pair<std::string, std::string>(
                                    "telltale.profiler.active", "5")));
  EXPECT_EQ(MessageOf({"--profile=ops", "profiler.active=0"}),
            "profiler.active takes a number from 1 to 1000000000, not 0");
  EXPECT_THAT(MessageOf({"--profile=ops", "profiler.with_stack=maybe"}),
              HasSubstr("profiler.with_stack 'maybe' is not known"));
  EXPECT_THAT(MessageOf({"--profile=ops", "profiler.with_stak=true"}),
              HasSubstr("'profiler.with_stak'; did you mean 'profiler.with_stack'?"));
  EXPECT_EQ(MessageOf({"--profile=simple", "profiler.with_stack=true"}),
            "profiler.with_stack is a setting of 'ops', which is not asked for; add --profile ops");
  // Only settings of what was asked for are in force.
  EXPECT_TRUE(Choose({"--profile=simple"})->settings["active"].IsNull());
}

TEST(RunProfilers, TheOrderOfOperatorsIsCheckedAsTheirViewDoes) {
  EXPECT_EQ(Choose({"--profile=ops", "profiler.sort_by_key=self_cpu_memory_usage",
                    "profiler.row_limit=-1"})
                ->settings["sort_by_key"]
                .AsString(),
            "self_cpu_memory_usage");
  EXPECT_THAT(MessageOf({"--profile=ops", "profiler.sort_by_key=cpu_tim_total"}),
              HasSubstr("profiler.sort_by_key: --sort 'cpu_tim_total'"));
}

TEST(RunProfilers, OpsNeedsTheStepsOfPythonPrograms) {
  EXPECT_THAT(MessageOf({"--profile=ops", "--no-python"}), HasSubstr("excludes --profile ops"));
  EXPECT_THAT(MessageOf({"--profile=ops", "--no-steps"}), HasSubstr("excludes --profile ops"));
  EXPECT_THAT(MessageOf({"--profile=advanced", "--no-python"}),
              HasSubstr("excludes --profile advanced"));
  EXPECT_TRUE(Choose({"--profile=sample", "--no-python"}));
}

TEST(RunProfilers, StepsAreASchedule) {
  const auto schedule = [](std::string steps) {
    const auto choice = Choose({"--profile=ops", "--profile-steps", std::move(steps)});
    EXPECT_TRUE(choice);
    const JsonValue& is = choice->settings;
    return std::vector<int64_t>{is["skip_first"].AsInt(), is["wait"].AsInt(), is["warmup"].AsInt(),
                                is["active"].AsInt(), is["repeat"].AsInt()};
  };
  EXPECT_THAT(schedule("100..105"), ElementsAre(99, 0, 1, 6, 1));
  EXPECT_THAT(schedule("..2"), ElementsAre(0, 0, 0, 3, 1));
  EXPECT_THAT(schedule("1"), ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(MessageOf({"--profile=ops", "--profile-steps=5.."}), HasSubstr("needs an end"));
  EXPECT_THAT(MessageOf({"--profile=ops", "--profile-steps=5..3"}), HasSubstr("is empty"));
  EXPECT_THAT(MessageOf({"--profile=ops", "--profile-steps=x"}), HasSubstr("--profile-steps"));
  EXPECT_THAT(MessageOf({"--profile=ops", "--profile-steps=..9000000000"}),
              HasSubstr("names steps that no program reaches"));
  EXPECT_THAT(MessageOf({"--profile=ops", "--profile-steps=5", "profiler.active=2"}),
              HasSubstr("say the same thing"));
  EXPECT_THAT(MessageOf({"--profile=simple", "--profile-steps=5"}), HasSubstr("add --profile ops"));
}

}  // namespace
}  // namespace telltale
