// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::HasSubstr;

CommandSpec Spec() {
  CommandSpec spec;
  spec.name = "profile";
  spec.summary = "explain a trace";
  spec.examples = {{"telltale profile trace.json", "the answer"}};
  spec.positionals = "PATH...";
  spec.options = {
      {.name = "view",
       .type = ParamType::kChoice,
       .value = "NAME",
       .help = "what to show",
       .default_text = "overview",
       .choices = {"overview", "operators", "kernels"}},
      {.name = "group-by", .type = ParamType::kText, .value = "KEY", .help = "one row per what"},
      {.name = "limit", .type = ParamType::kInteger, .value = "N", .help = "rows", .least = -1},
      {.name = "json", .help = "JSON"},
      {.name = "quiet", .help = "no progress"},
  };
  spec.letters = {{'q', "quiet"}};
  return spec;
}

Result<Arguments> Parse(std::vector<std::string> words) { return ParseArguments(Spec(), words); }

std::string MessageOf(std::vector<std::string> words) {
  const Result<Arguments> parsed = Parse(std::move(words));
  if (parsed) return "no error";
  EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
  return parsed.error().message;
}

TEST(ParseArguments, TakesValuesEitherWay) {
  const auto apart = Parse({"a.json", "--view", "kernels", "--limit", "5"});
  const auto joined = Parse({"--view=kernels", "--limit=5", "a.json"});
  ASSERT_TRUE(apart && joined);
  for (const auto& arguments : {*apart, *joined}) {
    EXPECT_EQ(arguments.Text("view"), "kernels");
    EXPECT_EQ(arguments.Integer("limit"), 5);
    EXPECT_EQ(arguments.positionals(), std::vector<std::string>{"a.json"});
  }
}

TEST(ParseArguments, DashesAndUnderscoresAreTheSame) {
  EXPECT_EQ(Parse({"a", "--group_by", "shape"})->Text("group-by"), "shape");
  EXPECT_EQ(Parse({"a", "--group-by=shape"})->Text("group-by"), "shape");
}

TEST(ParseArguments, SettingsStandBeforeTheCommand) {
  CommandSpec spec = Spec();
  spec.rest_is_command = true;
  spec.setting_groups = {"profiler"};
  const std::vector<std::string> words = {
      "profiler=simple", "--json",   "profiler.active=3=4", "--",
      "python",          "train.py", "profiler=ops"};
  const auto arguments = ParseArguments(spec, words);
  ASSERT_TRUE(arguments);
  const std::vector<std::pair<std::string, std::string>> settings = {{"profiler", "simple"},
                                                                     {"profiler.active", "3=4"}};
  EXPECT_EQ(arguments->settings(), settings);
  EXPECT_TRUE(arguments->Has("json"));
  EXPECT_EQ(arguments->positionals(),
            (std::vector<std::string>{"python", "train.py", "profiler=ops"}));
  // Another group is a program's name, and so is a word behind the --.
  EXPECT_EQ(
      ParseArguments(spec, std::vector<std::string>{"profilers=simple"})->positionals().size(), 1U);
  EXPECT_EQ(
      ParseArguments(spec, std::vector<std::string>{"--", "profiler=simple"})->positionals().size(),
      1U);
  // A command without settings has paths of that look.
  EXPECT_EQ(Parse({"profiler=simple"})->positionals().size(), 1U);
}

TEST(ParseArguments, NegativeNumbersAreValues) {
  EXPECT_EQ(Parse({"a", "--limit", "-1"})->Integer("limit"), -1);
  EXPECT_EQ(Parse({"a", "--limit=-1"})->Integer("limit"), -1);
}

TEST(ParseArguments, TwoDashesEndTheOptions) {
  const auto arguments = Parse({"--json", "--", "--view", "-q"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->Has("json"));
  EXPECT_FALSE(arguments->Has("view"));
  EXPECT_EQ(arguments->positionals(), (std::vector<std::string>{"--view", "-q"}));
}

TEST(ParseArguments, ALoneDashIsAPath) {
  EXPECT_EQ(Parse({"-"})->positionals(), std::vector<std::string>{"-"});
}

TEST(ParseArguments, LettersAndLastOneWins) {
  const auto arguments = Parse({"a", "-q", "--limit", "3", "--limit", "4"});
  EXPECT_TRUE(arguments->Has("quiet"));
  EXPECT_EQ(arguments->Integer("limit"), 4);
  EXPECT_TRUE(Parse({"-h"})->Has("help"));
}

TEST(ParseArguments, HelpNeedsNoPath) { EXPECT_TRUE(Parse({"--help"})->Has("help")); }

TEST(ParseArguments, SuggestsTheNearestOption) {
  EXPECT_EQ(MessageOf({"a", "--veiw", "kernels"}),
            "'telltale profile' has no option '--veiw'; did you mean '--view'?");
  EXPECT_EQ(MessageOf({"a", "--group"}),
            "'telltale profile' has no option '--group'; did you mean '--group-by'?");
  EXPECT_EQ(MessageOf({"a", "--zzz=1"}), "'telltale profile' has no option '--zzz'");
  EXPECT_EQ(MessageOf({"a", "-x"}), "'telltale profile' has no option '-x'");
  EXPECT_EQ(MessageOf({"a", "-view"}),
            "'telltale profile' has no option '-view'; did you mean '--view'?");
}

TEST(ParseArguments, SuggestsTheNearestValueAndListsThem) {
  EXPECT_EQ(
      MessageOf({"a", "--view", "kernel"}),
      "--view 'kernel' is not known; did you mean 'kernels'?\nvalid: overview, operators, kernels");
}

TEST(ParseArguments, NoticesAForgottenValue) {
  EXPECT_EQ(MessageOf({"a", "--view", "--json"}),
            "--view needs a value\nvalid: overview, operators, kernels");
  EXPECT_EQ(MessageOf({"a", "--limit"}), "--limit needs a value");
}

TEST(ParseArguments, ChecksNumbers) {
  EXPECT_EQ(MessageOf({"a", "--limit", "ten"}), "--limit takes a whole number, not 'ten'");
  EXPECT_EQ(MessageOf({"a", "--limit", "1e3"}), "--limit takes a whole number, not '1e3'");
  EXPECT_EQ(MessageOf({"a", "--limit", "-2"}), "--limit takes a number from -1 up, not -2");
  EXPECT_EQ(MessageOf({"a", "--limit", "99999999999999999999"}),
            "--limit takes a whole number, not '99999999999999999999'");
}

TEST(ParseArguments, FlagsTakeNoValue) {
  EXPECT_EQ(MessageOf({"a", "--json=yes"}), "--json takes no value");
}

TEST(ParseArguments, SaysWhatIsMissing) {
  EXPECT_EQ(MessageOf({}),
            "'telltale profile' needs PATH...; for example: telltale profile trace.json");
}

TEST(ParseArguments, DoesNotEchoControlCharacters) {
  EXPECT_THAT(MessageOf({"a", "--\x1b[2J"}), HasSubstr("'--\uFFFD[2J'"));
}

TEST(HelpText, BeginsWithAnExampleAndShowsDefaults) {
  EXPECT_EQ(HelpText(Spec(), 80),
            "Example:\n"
            "  telltale profile trace.json\n"
            "      the answer\n"
            "\n"
            "Usage:\n"
            "  telltale profile PATH... [options]\n"
            "\n"
            "Options:\n"
            "      --view NAME     what to show: overview, operators, kernels (default:\n"
            "                      overview)\n"
            "      --group-by KEY  one row per what\n"
            "      --limit N       rows\n"
            "      --json          JSON\n"
            "  -q, --quiet         no progress\n"
            "  -h, --help          show this text\n");
}

}  // namespace
}  // namespace telltale
