// SPDX-License-Identifier: Apache-2.0
#include "io/given_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace telltale {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class GivenFilesTest : public testing::Test {
 protected:
  void Make(const GivenFilesLimits& limits = {}) {
    Result<std::unique_ptr<GivenFiles>> made = GivenFiles::Make(limits);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    files_ = std::move(*made);
    top_ = fs::path(files_->folder()).parent_path();
  }
  std::string Give(std::string_view name, std::string_view text) {
    const std::string id = files_->Begin(name, text.size()).value();
    EXPECT_TRUE(files_->Append(id, 0, text).has_value());
    return files_->Finish(id).value();
  }

  std::unique_ptr<GivenFiles> files_;
  fs::path top_;
};

TEST_F(GivenFilesTest, KeepsPiecesInOrderAndShowsThemWhenWhole) {
  Make();
  const std::string id = files_->Begin("run.json", 6).value();
  EXPECT_TRUE(files_->Append(id, 0, "abc").has_value());
  EXPECT_FALSE(files_->Finish(id).has_value());
  EXPECT_FALSE(files_->Append(id, 2, "d").has_value());
  EXPECT_FALSE(files_->Append(id, 3, "defg").has_value()) << "more than was announced";
  EXPECT_TRUE(fs::is_empty(files_->folder()));
  EXPECT_TRUE(files_->Append(id, 3, "def").has_value());
  const std::string path = files_->Finish(id).value();
  EXPECT_EQ(fs::path(path).filename(), "run.json");
  EXPECT_EQ(Read(path), "abcdef");
  EXPECT_FALSE(files_->Finish(id).has_value());
  EXPECT_FALSE(files_->Append("../x", 0, "a").has_value());
}

TEST_F(GivenFilesTest, IsForItsUserAloneAndGoesWithIt) {
  Make();
  Give("a.json", "x");
  static_cast<void>(files_->Begin("b.json", 9));
  struct stat info{};
  ASSERT_EQ(::stat(top_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  files_->Remove();
  EXPECT_FALSE(fs::exists(top_));
  EXPECT_FALSE(files_->Begin("c.json", 1).has_value());
}

TEST_F(GivenFilesTest, NeverLeavesItsFolder) {
  Make();
  for (const std::string_view name : {"../../evil.json", "/etc/passwd", "..", ".", "", "a/../../b",
                                      "c:\\x\\y.json", "....json", "a\nb\x7f"}) {
    const fs::path path = Give(name, "x");
    EXPECT_EQ(fs::canonical(path).parent_path().parent_path(), fs::canonical(files_->folder()))
        << name;
  }
  EXPECT_EQ(HarmlessFileName("a\nb/c\x01.json"), "c_.json");
  EXPECT_EQ(HarmlessFileName(".hidden"), "hidden");
  EXPECT_EQ(HarmlessFileName(std::string(500, 'x') + ".json.gz").size(), 160U);
}

TEST_F(GivenFilesTest, IsBounded) {
  Make({.bytes = 10, .files = 2, .unfinished = 2});
  EXPECT_THAT(files_->Begin("big", 11).error().message, HasSubstr("telltale view FILE"));
  const std::string first = files_->Begin("a", 4).value();
  const std::string second = files_->Begin("b", 4).value();
  EXPECT_FALSE(files_->Begin("c", 7).has_value()) << "the oldest is given up, 6 are left";
  EXPECT_FALSE(files_->Append(first, 0, "x").has_value());
  EXPECT_TRUE(files_->Append(second, 0, "xxxx").has_value());
  const std::string path = files_->Finish(second).value();
  Give("d", "12");
  EXPECT_FALSE(files_->Begin("e", 1).has_value()) << "two files";
  files_->Discard(path);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(files_->Begin("e", 8).has_value());
}

}  // namespace
}  // namespace telltale
