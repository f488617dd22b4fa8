// SPDX-License-Identifier: Apache-2.0
#include "runs/group_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "runs/trace_name.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

ListedFile File(std::string relative, ContentKind kind = ContentKind::kTrace,
                std::string root = "runs") {
  ListedFile file;
  file.root_name = std::move(root);
  file.file.path = "/data/" + file.root_name + "/" + relative;
  file.file.rank = RankFromPath(file.file.path);
  file.relative = std::move(relative);
  file.kind = kind;
  return file;
}

std::vector<std::string> NamesOf(const std::vector<FoundProfile>& profiles) {
  std::vector<std::string> names;
  for (const FoundProfile& profile : profiles) {
    names.push_back(profile.name + ":" + std::to_string(profile.files.size()));
  }
  return names;
}

TEST(GroupFiles, JoinsTheWorkersOfASpan) {
  const auto found = GroupFiles({
      File("a/host_1.1700000000000.pt.trace.json"),
      File("a/host_2.1700000001000.pt.trace.json.gz"),
      File("a/host_1.1700000100000.pt.trace.json"),
      File("a/host_2.1700000101000.pt.trace.json.gz"),
  });
  EXPECT_THAT(NamesOf(found), ElementsAre("runs/a span 1:2", "runs/a span 2:2"));
}

TEST(GroupFiles, KeepsRunsApartThatLieHoursApart) {
  const auto found = GroupFiles({
      File("host_1.1700000000000.pt.trace.json"),
      File("host_2.1700090000000.pt.trace.json"),
  });
  EXPECT_THAT(NamesOf(found), ElementsAre("runs/host_1:1", "runs/host_2:1"));
}

TEST(GroupFiles, JoinsRanksByNameAndByFolder) {
  const auto found = GroupFiles({
      File("x/trace_rank0.json"),
      File("x/trace_rank1.json"),
      File("y/rank_0/trace.json"),
      File("y/rank_1/trace.json"),
      File("z/local_rank0.json"),
      File("z/local_rank1.json"),
  });
  EXPECT_THAT(NamesOf(found), ElementsAre("runs/x/trace_rank*:2", "runs/y/rank_*/trace:2",
                                          "runs/z/local_rank0:1", "runs/z/local_rank1:1"));
}

TEST(GroupFiles, LeavesOtherFilesAlone) {
  const auto found = GroupFiles({
      File("a.prof", ContentKind::kFunctions),
      File("b.prof", ContentKind::kFunctions),
      File("rank0.prof", ContentKind::kFunctions),
      File("rank1.prof", ContentKind::kFunctions),
      File("c.json"),
      File("d.json"),
  });
  EXPECT_EQ(found.size(), 6U);
}

TEST(GroupFiles, NeverPutsTheSameRankTwiceIntoOneProfile) {
  const auto found = GroupFiles({
      File("a_rank0.1700000000000.pt.trace.json"),
      File("b_rank0.1700000000500.pt.trace.json"),
  });
  EXPECT_EQ(found.size(), 2U);
}

TEST(GroupFiles, GivesIdsThatFollowFromNamesAlone) {
  const auto one =
      GroupFiles({File("a.json"), File("b.json"), File("a.json", ContentKind::kTrace, "x")});
  const auto two = GroupFiles({File("b.json"), File("a.json")});
  std::set<std::string> ids;
  for (const FoundProfile& profile : one) ids.insert(profile.id);
  EXPECT_EQ(ids.size(), 3U);
  for (const FoundProfile& profile : two) EXPECT_TRUE(ids.contains(profile.id)) << profile.name;
  EXPECT_EQ(one[0].id.size(), 8U);
}

TEST(GroupFiles, KeepsTheIdWhenAnotherWorkerArrives) {
  const auto before = GroupFiles({File("a/host_2.1700000001000.pt.trace.json")});
  const auto after = GroupFiles(
      {File("a/host_1.1700000000000.pt.trace.json"), File("a/host_2.1700000001000.pt.trace.json")});
  ASSERT_EQ(before.size(), 1U);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(before[0].id, after[0].id);
}

TEST(GroupFiles, ShowsNamesThatDiffer) {
  const auto found = GroupFiles({
      File("a.json"),
      File("a.json.gz"),
      File("w.1700000000000.pt.trace.json"),
      File("w.1700000090000.pt.trace.json"),
  });
  std::set<std::string> names;
  for (const FoundProfile& profile : found) names.insert(profile.name);
  EXPECT_EQ(names.size(), found.size());
}

}  // namespace
}  // namespace telltale
