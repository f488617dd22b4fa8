// SPDX-License-Identifier: Apache-2.0
#include "runs/event_files.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/discover.h"
#include "runs/test_folder.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;

TEST(EventFiles, AreFoundByNameInEveryFolderOnce) {
  TestFolder folder;
  folder.Write("b/events.out.tfevents.2", "x");
  folder.Write("b/events.out.tfevents.1", "x");
  folder.Write("a/deep/er/x.tfevents.v2", "");
  folder.Write("a/notes.txt", "x");
  fs::create_directories(folder / "x.tfevents.d");
  fs::create_directory_symlink(folder.path(), folder / "b/loop");
  const EventFiles found = FindEventFiles(folder.path().string());
  std::vector<std::string> names;
  for (const std::string& path : found.paths) {
    names.push_back(fs::path(path).lexically_relative(folder.path()).generic_string());
  }
  EXPECT_THAT(names, testing::ElementsAre("a/deep/er/x.tfevents.v2", "b/events.out.tfevents.1",
                                          "b/events.out.tfevents.2"));
}

TEST(EventFiles, AreNoProfilesOfAFolder) {
  TestFolder folder;
  folder.Write("run/events.out.tfevents.1", "x");
  const std::vector<std::string> paths = {folder.path().string()};
  const Discovery profiles = Discover(paths);
  ASSERT_EQ(profiles.failures.size(), 1U);
  EXPECT_THAT(profiles.failures[0].message, testing::HasSubstr("an event file of TensorBoard"));
  EXPECT_THAT(profiles.failures[0].message, testing::HasSubstr("telltale runs"));
  for (const FolderContent wanted :
       {FolderContent::kEventFiles, FolderContent::kAll, FolderContent::kProfilesOrEventFiles}) {
    const Discovery found = Discover(paths, wanted);
    EXPECT_TRUE(found.failures.empty());
    EXPECT_EQ(found.files.size(), 1U);
  }
  // Beside a profile.
  folder.Write("run/trace.json", SmallTrace());
  EXPECT_EQ(Discover(paths).files.size(), 1U);
  EXPECT_EQ(Discover(paths, FolderContent::kAll).files.size(), 2U);
  const Discovery either = Discover(paths, FolderContent::kProfilesOrEventFiles);
  ASSERT_EQ(either.files.size(), 1U);
  EXPECT_TRUE(either.files[0].path.ends_with("trace.json"));
}

}  // namespace
}  // namespace telltale
