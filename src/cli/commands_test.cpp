// SPDX-License-Identifier: Apache-2.0
// The program from its words to its exit code, as far as no trace is needed; tests/golden goes
// further.
#include "cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome Call(std::vector<std::string> words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = RunTelltale(words);
  return {exit_code, testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
}

TEST(Commands, Version) {
  const Outcome outcome = Call({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "telltale 0.2.0\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Commands, EveryHelpBeginsWithAnExample) {
  EXPECT_THAT(Call({"--help"}).out, StartsWith("Example:\n  telltale profile "));
  for (const Command& command : Commands()) {
    const std::string name(command.spec().name);
    const Outcome outcome = Call({name, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, StartsWith("Examples:\n  telltale " + name));
    EXPECT_THAT(outcome.out, HasSubstr("Exit codes:"));
    EXPECT_EQ(Call({"help", name}).out, outcome.out);
    EXPECT_THAT(Call({"--help"}).out, HasSubstr("\n  " + name));
  }
}

TEST(Commands, SuggestsTheNearestCommand) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"profle", "x"}, {"help", "profle"}}) {
    const Outcome outcome = Call(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err,
                StartsWith("telltale: there is no command 'profle'; did you mean 'profile'?\n"));
  }
}

TEST(Commands, AFileInPlaceOfACommand) {
  const Outcome outcome = Call({"/dev/null"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("to look into it: telltale profile /dev/null"));
}

TEST(Commands, WrongUsageIsExitCodeTwo) {
  EXPECT_EQ(Call({}).exit_code, 2);
  EXPECT_EQ(Call({"--verison"}).exit_code, 2);
  EXPECT_THAT(Call({"--verison"}).err, HasSubstr("did you mean '--version'?"));
  EXPECT_EQ(Call({"profile"}).exit_code, 2);
  EXPECT_EQ(Call({"profile", "x", "--sort", "nonsense"}).exit_code, 2);
  EXPECT_EQ(Call({"validate", "x", "--view", "steps"}).exit_code, 2);
}

TEST(Commands, UnreadableInputIsExitCodeThree) {
  for (const char* command : {"profile", "validate"}) {
    const Outcome outcome = Call({command, "/no/such/trace.json"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, StartsWith("telltale: "));
    EXPECT_THAT(outcome.err, HasSubstr("/no/such/trace.json"));
  }
}

TEST(Commands, WhatCannotBeWrittenIsExitCodeOne) {
  EXPECT_EQ(ExitCodeOf(ErrorCode::kUnwritable), 1);
}

}  // namespace
}  // namespace telltale
