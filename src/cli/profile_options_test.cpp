// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_options.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Result<ProfileOptions> MakeOptions(std::vector<std::string> words) {
  Result<Arguments> arguments = ParseArguments(ProfileCommandSpec(), words);
  if (!arguments) return tl::unexpected<Error>(arguments.error());
  return MakeProfileOptions(*arguments);
}

Result<ProfileRequest> Make(std::vector<std::string> words) {
  Result<ProfileOptions> options = MakeOptions(std::move(words));
  if (!options) return tl::unexpected<Error>(options.error());
  return options->request;
}

std::string MessageOf(std::vector<std::string> words) {
  const Result<ProfileRequest> request = Make(std::move(words));
  if (request) return "no error";
  EXPECT_EQ(request.error().code, ErrorCode::kUsage);
  return request.error().message;
}

TEST(ProfileOptions, DefaultsToTheOverview) {
  const ProfileOptions options = MakeOptions({"trace.json"}).value();
  EXPECT_TRUE(options.request.overview);
  EXPECT_EQ(options.request.use.format, OutputFormat::kText);
  EXPECT_FALSE(options.request.limit);
  EXPECT_EQ(options.paths, std::vector<std::string>{"trace.json"});
}

TEST(ProfileOptions, TakesEverything) {
  const ProfileOptions options =
      MakeOptions({"a", "b", "--view", "operators", "--group_by=shape", "--sort",
                   "self_cuda_time_total", "--limit", "-1", "--steps", "3..5", "--rank=2",
                   "--step-annotation", "train.*", "--json", "--threads", "4", "--quiet"})
          .value();
  const ProfileRequest& request = options.request;
  EXPECT_EQ(request.analysis.operators, OperatorGrouping::kShape);
  EXPECT_EQ(request.sort_field, "device_self_ns");
  EXPECT_EQ(request.limit, -1);
  EXPECT_EQ(request.analysis.first_step, 3);
  EXPECT_EQ(request.analysis.last_step, 5);
  EXPECT_EQ(request.rank, 2);
  EXPECT_EQ(request.analysis.step_annotation, "train.*");
  EXPECT_EQ(request.use.format, OutputFormat::kJson);
  EXPECT_EQ(request.analysis.threads, 4u);
  EXPECT_TRUE(options.quiet);
}

TEST(ProfileOptions, CsvAndTorchShowOperators) {
  EXPECT_EQ(Make({"a", "--csv"})->view->name, "operators");
  const ProfileRequest torch = Make({"a", "--like", "torch", "--sort", "cpu_time"}).value();
  EXPECT_EQ(torch.view->name, "operators");
  EXPECT_EQ(torch.use.like, LikeTool::kTorch);
  EXPECT_TRUE(torch.analysis.like_torch);
}

TEST(ProfileOptions, LightningShowsActions) {
  const ProfileRequest request = Make({"a", "--like", "lightning"}).value();
  EXPECT_EQ(request.view->name, "simple");
  EXPECT_FALSE(request.overview);
  EXPECT_EQ(MessageOf({"a", "--like", "lightning", "--view", "kernels"}),
            "--like lightning shows simple, not kernels");
  EXPECT_EQ(MessageOf({"a", "--like", "lightning", "--csv"}),
            "--like lightning is a text; it excludes --json, --csv and --markdown");
  EXPECT_THAT(MessageOf({"a", "--like", "lightning", "--tree"}), HasSubstr("no --tree"));
}

TEST(ProfileOptions, GroupsKernelsByLaunch) {
  EXPECT_EQ(Make({"a", "--view", "kernels", "--group-by", "launch"})->analysis.kernels,
            KernelGrouping::kLaunch);
  EXPECT_EQ(Make({"a", "--group-by", "launch", "--json"})->analysis.kernels,
            KernelGrouping::kLaunch);
}

TEST(ProfileOptions, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(MessageOf({"a", "--json", "--csv"}), "--json, --csv and --markdown exclude each other");
  EXPECT_EQ(MessageOf({"a", "--color", "--no-color"}), "--color and --no-color exclude each other");
  EXPECT_THAT(MessageOf({"a", "--csv", "--view", "overview"}), HasSubstr("--view operators"));
  EXPECT_EQ(MessageOf({"a", "--like", "torch", "--view", "kernels"}),
            "--like torch shows operators, not kernels");
  EXPECT_EQ(MessageOf({"a", "--view", "kernels", "--group-by", "shape"}),
            "--group-by shape groups operators, not kernels; valid here: name, launch");
  EXPECT_EQ(MessageOf({"a", "--view", "operators", "--group-by", "launch"}),
            "--group-by launch groups kernels, not operators; valid here: name, shape, stack");
  EXPECT_EQ(MessageOf({"-", "-"}), "standard input (-) can be read only once");
}

TEST(ProfileOptions, SuggestsValues) {
  EXPECT_THAT(MessageOf({"a", "--view", "operatos"}), HasSubstr("did you mean 'operators'?"));
  EXPECT_THAT(MessageOf({"a", "--group-by", "shapes"}), HasSubstr("did you mean 'shape'?"));
  EXPECT_THAT(MessageOf({"a", "--sort", "self_cpu_time_totl"}),
              HasSubstr("did you mean 'self_cpu_time_total'?"));
  EXPECT_THAT(MessageOf({"a", "--step_anotation=x"}),
              HasSubstr("did you mean '--step-annotation'?"));
  EXPECT_THAT(MessageOf({"a", "--no-colour=1"}), StartsWith("--no-color takes no value"));
}

TEST(ProfileOptions, ChecksTheRegularExpressionBeforeReading) {
  EXPECT_THAT(MessageOf({"a", "--step-annotation", "train("}),
              StartsWith("--step-annotation 'train(' is no regular expression: "));
  EXPECT_EQ(MessageOf({"a", "--inside", "a\\q"}),
            "--inside 'a\\q' is no regular expression: this escape is not known (character 3)");
}

TEST(ProfileHelp, BeginsWithAnExampleAndNamesViewsAndExitCodes) {
  const std::string help = HelpText(ProfileCommandSpec(), 80);
  EXPECT_THAT(help, StartsWith("Examples:\n  telltale profile trace.json.gz\n"));
  for (const ViewSpec& view : Views())
    EXPECT_THAT(help, HasSubstr("\n  " + std::string(view.name)));
  EXPECT_THAT(help, HasSubstr("Exit codes:"));
  // Where the line breaks depends on how many views there are.
  EXPECT_THAT(std::regex_replace(help, std::regex("\\s+"), " "), HasSubstr("(default: overview)"));
}

}  // namespace
}  // namespace telltale
