// SPDX-License-Identifier: Apache-2.0
#include "cli/view_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::HasSubstr;

Result<ViewRequest> Request(const std::vector<std::string>& words) {
  const Result<Arguments> arguments = ParseArguments(ViewCommandSpec(), words);
  if (!arguments) return tl::unexpected<Error>(arguments.error());
  return MakeViewRequest(*arguments);
}

std::string Problem(const std::vector<std::string>& words) {
  const Result<ViewRequest> request = Request(words);
  if (request) return "fine";
  EXPECT_EQ(request.error().code, ErrorCode::kUsage);
  return request.error().message;
}

TEST(ViewRequest, LoopbackAndTheUsualPortByDefault) {
  const Result<ViewRequest> request = Request({"trace.json"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->host, "localhost");
  EXPECT_EQ(request->port, 6006);
  EXPECT_FALSE(request->port_named);
  EXPECT_EQ(request->path_prefix, "");
  EXPECT_GT(request->memory_budget_bytes, uint64_t{64} << 20);
  ASSERT_EQ(request->paths.size(), 1U);
  EXPECT_EQ(request->paths[0].path, "trace.json");
}

TEST(ViewRequest, TakesTensorBoardsOptions) {
  const Result<ViewRequest> request =
      Request({"--logdir", "runs", "--logdir_spec=a:one,b:two/x", "--port", "0", "--bind_all",
               "--path_prefix", "/tt/", "--window_title", "My run", "--memory-budget", "4G"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->host, "");
  EXPECT_EQ(request->port, 0);
  EXPECT_TRUE(request->port_named);
  EXPECT_EQ(request->path_prefix, "/tt");
  EXPECT_EQ(request->window_title, "My run");
  EXPECT_EQ(request->memory_budget_bytes, uint64_t{4} << 30);
  ASSERT_EQ(request->paths.size(), 3U);
  EXPECT_EQ(request->paths[0].path, "runs");
  EXPECT_EQ(request->paths[1].name, "a");
  EXPECT_EQ(request->paths[1].path, "one");
  EXPECT_EQ(request->paths[2].path, "two/x");
}

TEST(ViewRequest, TensorBoardsOptionsThatMeanNothingHereAreRemarkedUpon) {
  const Result<ViewRequest> plain = Request({"--logdir", "runs"});
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->remarks.empty());
  EXPECT_TRUE(plain->follows);
  EXPECT_TRUE(plain->purges);
  EXPECT_TRUE(plain->paths[0].awaited);
  const Result<ViewRequest> request = Request(
      {"--logdir=runs", "--samples_per_plugin", "scalars=5000,images=0", "--reload_interval=5",
       "--reload_multifile=true", "--load_fast=false", "--max_reload_threads", "4",
       "--detect_file_replacement=true", "--purge_orphaned_data=false"});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_FALSE(request->purges);
  EXPECT_TRUE(request->follows);
  ASSERT_EQ(request->remarks.size(), 4U);
  EXPECT_THAT(request->remarks[1], HasSubstr("every point is kept"));
  const Result<ViewRequest> once = Request({"--logdir", "runs", "--reload_interval", "0"});
  ASSERT_TRUE(once);
  EXPECT_FALSE(once->follows);
  EXPECT_TRUE(once->remarks.empty());
  EXPECT_THAT(Problem({"--logdir", "x", "--inspect"}), HasSubstr("telltale validate"));
  EXPECT_THAT(Problem({"--logdir", "x", "--reload_interval", "soon"}), HasSubstr("takes seconds"));
  EXPECT_THAT(Problem({"--logdir", "x", "--purge_orphaned_data", "maybe"}),
              HasSubstr("true or false"));
}

TEST(ViewRequest, SaysWhatIsWrong) {
  EXPECT_THAT(Problem({}), HasSubstr("needs a PATH or --logdir"));
  EXPECT_THAT(Problem({"-"}), HasSubstr("not standard input"));
  EXPECT_THAT(Problem({"x", "--port", "65536"}), HasSubstr("from 0 to 65535"));
  EXPECT_THAT(Problem({"x", "--port", "http"}), HasSubstr("whole number"));
  EXPECT_THAT(Problem({"x", "--host", "a", "--bind_all"}), HasSubstr("exclude each other"));
  EXPECT_THAT(Problem({"x", "--host="}), HasSubstr("name or an address"));
  EXPECT_THAT(Problem({"x", "--path_prefix", "/a b"}), HasSubstr("--path_prefix takes"));
  EXPECT_THAT(Problem({"x", "--certfile", "a"}), HasSubstr("needs both"));
  EXPECT_THAT(Problem({"x", "--token", "secret"}), HasSubstr("16 to 256"));
  EXPECT_THAT(Problem({"x", "--allow-host", "a:80"}), HasSubstr("without a port"));
  EXPECT_THAT(Problem({"x", "--memory-budget", "much"}), HasSubstr("such as 4G"));
  EXPECT_THAT(Problem({"--logdir_spec", "a:"}), HasSubstr("the path is missing"));
}

TEST(ViewRequest, ASlashBeforeTheColonIsAPath) {
  const Result<std::vector<ViewPath>> paths = ParseLogdirSpec("./a:b,,name:/x:y,plain");
  ASSERT_TRUE(paths);
  ASSERT_EQ(paths->size(), 3U);
  EXPECT_EQ((*paths)[0].name, "");
  EXPECT_EQ((*paths)[0].path, "./a:b");
  EXPECT_EQ((*paths)[1].name, "name");
  EXPECT_EQ((*paths)[1].path, "/x:y");
  EXPECT_EQ((*paths)[2].path, "plain");
}

TEST(ViewRequest, ReadsSizes) {
  EXPECT_EQ(ParseSize("800000000"), 800'000'000U);
  EXPECT_EQ(ParseSize("100B"), 100U);
  EXPECT_EQ(ParseSize("2k"), 2048U);
  EXPECT_EQ(ParseSize("1.5GiB"), 1'610'612'736U);
  EXPECT_EQ(ParseSize("512MB"), uint64_t{512} << 20);
  for (const char* wrong : {"", "G", "-1G", "0", "4X", "4Gx", "4 G", "inf", "nan", "1e30", "4BB"}) {
    EXPECT_EQ(ParseSize(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace telltale
