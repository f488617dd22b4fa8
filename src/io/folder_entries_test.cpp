// SPDX-License-Identifier: Apache-2.0
#include "io/folder_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <fstream>
#include <string>
#include <vector>

namespace telltale {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class FolderEntriesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "telltale_folder_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    top_ = folder;
  }
  void TearDown() override { fs::remove_all(top_); }

  fs::path top_;
};

TEST_F(FolderEntriesTest, SaysWhatEachIsAndWhereLinksLead) {
  std::ofstream(top_ / "file") << "x";
  fs::create_directory(top_ / ".folder");
  fs::create_symlink("file", top_ / "to_file");
  fs::create_directory_symlink(".folder", top_ / "to_folder");
  fs::create_symlink("nothing", top_ / "to_nothing");
  std::error_code error;
  FolderEntries entries(top_, error);
  ASSERT_FALSE(error);
  std::vector<std::string> seen;
  while (entries.Next(error)) {
    EXPECT_EQ(entries.path(), top_ / entries.name());
    seen.push_back(std::string(entries.name()) + (entries.is_link() ? " link" : "") +
                   (entries.is_folder() ? " folder" : "") +
                   (entries.is_regular_file() ? " file" : ""));
  }
  EXPECT_FALSE(error);
  EXPECT_THAT(seen, UnorderedElementsAre("file file", ".folder folder", "to_file link file",
                                         "to_folder link folder", "to_nothing link"));
}

TEST_F(FolderEntriesTest, SaysWhyAFolderCannotBeLookedInto) {
  std::error_code error;
  FolderEntries missing(top_ / "missing", error);
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(missing.Next(error));
  std::ofstream(top_ / "file") << "x";
  const FolderEntries file(top_ / "file", error);
  EXPECT_EQ(error, std::errc::not_a_directory);
}

}  // namespace
}  // namespace telltale
