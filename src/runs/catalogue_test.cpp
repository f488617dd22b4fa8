// SPDX-License-Identifier: Apache-2.0
// The list, with files that come, grow, move and go. Every look is a call: nothing waits.
#include "runs/catalogue.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "runs/test_folder.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class CatalogueTest : public testing::Test {
 protected:
  std::unique_ptr<Catalogue> Make(std::vector<std::string> paths = {}) {
    if (paths.empty()) paths = {folder_.path().string()};
    for (const std::string& path : paths) {
      Result<Root> root = MakeRoot("", path);
      EXPECT_TRUE(root.has_value()) << path;
      if (root) options_.roots.push_back(*root);
    }
    auto catalogue = std::make_unique<Catalogue>(options_);
    catalogue->Scan();
    return catalogue;
  }

  static CatalogueEntry At(const Catalogue& catalogue, size_t place) {
    return catalogue.Page(place, 1).entries.at(0);
  }

  static std::vector<std::string> Shown(const Catalogue& catalogue) {
    std::vector<std::string> shown;
    for (const CatalogueEntry& entry : catalogue.Page(0, SIZE_MAX).entries) {
      shown.push_back(entry.found.name.substr(entry.found.name.find('/') + 1) +
                      (entry.growing ? " growing" : "") + (entry.gone ? " gone" : ""));
    }
    return shown;
  }

  TestFolder folder_;
  CatalogueOptions options_;
};

TEST_F(CatalogueTest, TellsWhenTheListChanged) {
  folder_.Write("a.json", SmallTrace());
  int told = 0;
  options_.on_change = [&] { ++told; };
  const auto catalogue = Make();
  EXPECT_EQ(told, 1);
  catalogue->Scan();
  EXPECT_EQ(told, 1) << "nothing changed";
  catalogue->Note("nope");
  catalogue->Tell();
  EXPECT_EQ(told, 1) << "there is no such entry";
  catalogue->Note(At(*catalogue, 0).found.id);
  EXPECT_EQ(told, 1);
  catalogue->Tell();
  catalogue->Tell();
  EXPECT_EQ(told, 2);
}

TEST_F(CatalogueTest, TellsAtTheNextLookWhatCouldNotBeTold) {
  folder_.Write("a.json", SmallTrace());
  bool fails = true;
  int told = 0;
  options_.on_change = [&] {
    if (fails) throw std::bad_alloc();
    ++told;
  };
  const auto catalogue = Make();
  fails = false;
  catalogue->Scan();
  EXPECT_EQ(told, 1);
  catalogue->Scan();
  EXPECT_EQ(told, 1) << "nothing changed";
}

TEST_F(CatalogueTest, KnowsNothingOfOtherIds) {
  const auto catalogue = Make();
  EXPECT_FALSE(catalogue->Find("nope").has_value());
  EXPECT_FALSE(catalogue->Hold("nope"));
  EXPECT_FALSE(catalogue->Release("nope"));
}

TEST_F(CatalogueTest, TellsGrowingFilesFromThoseThatSettled) {
  folder_.Write("a.json", SmallTrace(2));
  const auto catalogue = Make();
  const uint64_t first = At(*catalogue, 0).content;
  EXPECT_EQ(At(*catalogue, 0).settled, first);
  folder_.Write("a.json", SmallTrace(3));
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a growing"));
  const uint64_t second = At(*catalogue, 0).content;
  EXPECT_GT(second, first);
  EXPECT_EQ(At(*catalogue, 0).settled, first);
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a"));
  EXPECT_EQ(At(*catalogue, 0).content, second);
  EXPECT_EQ(At(*catalogue, 0).settled, second);
  // Another file in its place is whole at once.
  folder_.Replace("a.json", SmallTrace(4));
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a"));
  EXPECT_GT(At(*catalogue, 0).content, second);
  EXPECT_EQ(At(*catalogue, 0).settled, At(*catalogue, 0).content);
}

TEST_F(CatalogueTest, KeepsWhatIsHeldWithoutItsFiles) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  const auto catalogue = Make();
  const std::string a = At(*catalogue, 0).found.id;
  EXPECT_TRUE(catalogue->Hold(a));
  folder_.Remove("a.json");
  folder_.Remove("b.json");
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a gone"));
  const uint64_t revision = catalogue->revision();
  catalogue->Scan();
  EXPECT_EQ(catalogue->revision(), revision) << "nothing changed";
  EXPECT_FALSE(catalogue->Release(a));
  EXPECT_THAT(Shown(*catalogue), ElementsAre());
  EXPECT_THAT(catalogue->ChangesSince(revision, 10)->gone, ElementsAre(a));
}

TEST_F(CatalogueTest, WhatComesBackIsNotGone) {
  folder_.Write("a.json", SmallTrace());
  const auto catalogue = Make();
  const std::string id = At(*catalogue, 0).found.id;
  EXPECT_TRUE(catalogue->Hold(id));
  folder_.Rename("a.json", ".hidden");
  catalogue->Scan();
  const uint64_t content = At(*catalogue, 0).content;
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a gone"));
  folder_.Rename(".hidden", "a.json");
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a"));
  EXPECT_EQ(At(*catalogue, 0).content, content);
  EXPECT_TRUE(catalogue->Release(id));
}

TEST_F(CatalogueTest, SaysUntilItHasLooked) {
  Catalogue catalogue(options_);
  EXPECT_TRUE(catalogue.searching());
  catalogue.Scan();
  EXPECT_FALSE(catalogue.searching());
}

TEST_F(CatalogueTest, FindsProfilesByContentInFolders) {
  folder_.Write("run/worker0.1700000000000.pt.trace.json", SmallTrace());
  folder_.Write("run/config.json", R"({"learning_rate": 0.1})");
  folder_.Write("run/deep/er/a.speedscope.json",
                R"({"$schema": "https://www.speedscope.app/file-format-schema.json",)"
                R"("shared": {"frames": []}, "profiles": []})");
  folder_.Write(".hidden/b.json", SmallTrace());
  folder_.Write("notes.txt", "nothing here");
  const auto catalogue = Make();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("run/deep/er/a.speedscope", "run/worker0"));
}

TEST_F(CatalogueTest, ShowsWhatAppears) {
  const auto catalogue = Make();
  EXPECT_TRUE(catalogue->size() == 0);
  folder_.Write("new.json", SmallTrace());
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("new"));
}

std::string LastPart(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::vector<std::string> Told(const CatalogueChanges& changes) {
  std::vector<std::string> told;
  for (const auto& [after, entry] : changes.changed) {
    told.push_back(LastPart(entry.found.name) + (after.empty() ? " first" : " after " + after));
  }
  for (const std::string& id : changes.gone) told.push_back("gone " + id);
  return told;
}

TEST_F(CatalogueTest, TellsWhatChangedSinceARevision) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("c.json", SmallTrace());
  const auto catalogue = Make();
  const std::string a = At(*catalogue, 0).found.id;
  const std::string c = At(*catalogue, 1).found.id;
  uint64_t known = catalogue->revision();
  const auto told = [&] {
    const std::optional<CatalogueChanges> changes = catalogue->ChangesSince(known, 10);
    EXPECT_TRUE(changes);
    known = catalogue->revision();
    return changes ? Told(*changes) : std::vector<std::string>();
  };
  catalogue->Scan();
  EXPECT_THAT(told(), ElementsAre()) << "nothing happened";
  catalogue->Note(a);
  EXPECT_THAT(told(), ElementsAre("a first"));
  folder_.Write("b.json", SmallTrace());
  catalogue->Scan();
  EXPECT_THAT(told(), ElementsAre("b after " + a)) << "the others are where they were";
  folder_.Remove("c.json");
  catalogue->Scan();
  EXPECT_THAT(told(), ElementsAre("gone " + c));
  EXPECT_FALSE(catalogue->ChangesSince(known - 1, 0).has_value()) << "more than wanted";
  EXPECT_FALSE(catalogue->ChangesSince(1, 10).has_value()) << "of another server";
}

TEST_F(CatalogueTest, AFileThatIsMovedKeepsItsId) {
  folder_.Write("a.json", SmallTrace());
  const auto catalogue = Make();
  const std::string id = At(*catalogue, 0).found.id;
  folder_.Rename("a.json", "deeper.json");
  catalogue->Scan();
  ASSERT_EQ(catalogue->size(), 1U);
  EXPECT_EQ(At(*catalogue, 0).found.id, id);
  EXPECT_EQ(LastPart(At(*catalogue, 0).found.name), "deeper");
  // What comes to the old place is another one, and stays so.
  folder_.Write("a.json", SmallTrace());
  for (int look = 0; look < 2; ++look) {
    catalogue->Scan();
    ASSERT_EQ(catalogue->size(), 2U);
    EXPECT_NE(At(*catalogue, 0).found.id, id);
    EXPECT_EQ(At(*catalogue, 1).found.id, id);
  }
  // Back again: the id is that of the path in any case.
  folder_.Remove("a.json");
  folder_.Rename("deeper.json", "a.json");
  catalogue->Scan();
  ASSERT_EQ(catalogue->size(), 1U);
  EXPECT_EQ(At(*catalogue, 0).found.id, id);
}

TEST_F(CatalogueTest, PagesOfTheListJoinToTheWhole) {
  for (const char* name : {"a.json", "b.json", "c.json"}) folder_.Write(name, SmallTrace());
  const auto catalogue = Make();
  const auto names = [&](size_t offset, size_t limit) {
    std::string all;
    const CataloguePage page = catalogue->Page(offset, limit);
    EXPECT_EQ(page.total, 3U);
    for (const CatalogueEntry& entry : page.entries) all += LastPart(entry.found.name);
    return all;
  };
  EXPECT_EQ(names(0, 2), "ab");
  EXPECT_EQ(names(2, 2), "c");
  EXPECT_EQ(names(3, 2), "");
  EXPECT_EQ(names(9, SIZE_MAX), "");
  EXPECT_EQ(names(0, 0), "");
}

TEST_F(CatalogueTest, NeverFollowsALinkOutOfTheRoots) {
  TestFolder secret;
  const std::string target = secret.Write("secret.json", SmallTrace());
  secret.Write("sub/other.json", SmallTrace());
  folder_.Write("own.json", SmallTrace());
  fs::create_symlink(target, folder_ / "link.json");
  fs::create_symlink(secret / "sub", folder_ / "folder");
  fs::create_symlink("../" + secret.path().filename().string() + "/secret.json",
                     folder_ / "relative.json");
  fs::create_symlink(folder_.path(), folder_ / "circle");
  const auto catalogue = Make();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("own"));
}

TEST_F(CatalogueTest, FollowsLinksInsideOfTheRoots) {
  folder_.Write("data/a.json", SmallTrace());
  fs::create_directories(folder_ / "view");
  fs::create_symlink(folder_ / "data/a.json", folder_ / "view/latest.json");
  const auto both = Make();
  EXPECT_THAT(Shown(*both), ElementsAre("data/a")) << "once, where it is";
  options_.roots.clear();
  const auto one = Make({folder_ / "view", folder_ / "data/a.json"});
  EXPECT_EQ(one->size(), 1U);
}

TEST_F(CatalogueTest, TellsRootsOfTheSameNameApart) {
  folder_.Write("x/logs/a.json", SmallTrace());
  folder_.Write("y/logs/a.json", SmallTrace());
  const auto catalogue = Make({folder_ / "x/logs", folder_ / "y/logs"});
  ASSERT_EQ(catalogue->size(), 2U);
  EXPECT_NE(At(*catalogue, 0).found.id, At(*catalogue, 1).found.id);
}

TEST_F(CatalogueTest, SaysWhatItSkippedAndWhy) {
  folder_.Write("t.json", SmallTrace());
  folder_.Write("config.json", R"({"learning_rate": 0.1})");
  folder_.Write("weights.pt", "x");
  folder_.Write("stats.txt",
                "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n");
  ASSERT_EQ(::mkfifo((folder_ / "pipe.json").c_str(), 0600), 0);
  std::filesystem::create_symlink("/etc/hostname", folder_ / "out.json");
  options_.limits.skipped = 3;
  const auto catalogue = Make();
  EXPECT_EQ(catalogue->size(), 1U);
  const Skipped skipped = catalogue->skipped();
  EXPECT_EQ(skipped.count, 4U);
  EXPECT_EQ(skipped.first.size(), 3U);
  options_.roots.clear();
  options_.limits.skipped = 100;
  std::map<std::string, std::string> why;
  const auto all = Make();
  for (const SkippedFile& file : all->skipped().first) {
    why[std::filesystem::path(file.path).filename()] = file.why;
  }
  EXPECT_EQ(why, (std::map<std::string, std::string>{
                     {"config.json", "no profile"},
                     {"out.json", "a link that leads out of the folder"},
                     {"pipe.json", "no regular file"},
                     {"stats.txt", "a printed table: name it to open it"}}));
}

TEST_F(CatalogueTest, StopsAtItsLimits) {
  for (int i = 0; i < 5; ++i) folder_.Write("f" + std::to_string(i) + ".json", SmallTrace());
  folder_.Write("1/2/3/4/deep.json", SmallTrace());
  options_.limits.files = 4;
  const auto few = Make();
  EXPECT_EQ(few->size(), 4U);
  EXPECT_TRUE(few->cut());
  options_.roots.clear();
  options_.limits = {.depth = 3, .entries = 1000, .files = 1000};
  const auto shallow = Make();
  EXPECT_EQ(shallow->size(), 5U);
  EXPECT_TRUE(shallow->cut());
}

TEST_F(CatalogueTest, FindsItsWayInAProjectFolder) {
  for (const std::string_view name :
       {"package.json", "config/model.json", "node_modules/a/trace.json", ".git/trace.json",
        "venv/lib/site-packages/torch/trace.json", "runs/__pycache__/trace.json"}) {
    folder_.Write(name, name.ends_with("trace.json") ? SmallTrace() : R"({"name": "x", "ph": 7})");
  }
  folder_.Write("runs/metrics.json", R"([{"step": 1, "loss": 0.5}])");
  folder_.Write("runs/a.counts", R"({"traceEvents": []})");
  folder_.Write("runs/events.out.tfevents.1.host", "x");
  folder_.Write("runs/last.pt", "PK");
  folder_.Write("runs/log.txt", "epoch 1 loss 0.5\n");
  folder_.Write("runs/t.json", SmallTrace());
  std::filesystem::create_directory_symlink("..", folder_ / "runs/loop");
  std::filesystem::create_symlink("nowhere", folder_ / "runs/broken.json");
  const std::string locked = folder_.Write("locked/x.json", SmallTrace());
  std::filesystem::permissions(folder_ / "locked", std::filesystem::perms::none);
  const auto catalogue = Make();
  const std::vector<std::string> shown = Shown(*catalogue);
  std::filesystem::permissions(folder_ / "locked", std::filesystem::perms::owner_all);
  EXPECT_THAT(shown, testing::Contains("runs/t"));
  // To root nothing is locked.
  EXPECT_EQ(shown.size(), ::geteuid() == 0 ? 2U : 1U);
  EXPECT_FALSE(catalogue->cut());
}

TEST_F(CatalogueTest, ShowsWhatTheFirstLookFoundSoFar) {
  for (int i = 0; i < 600; ++i) {
    folder_.Write("f" + std::to_string(i) + (i == 0 ? ".json" : ".txt"), SmallTrace());
  }
  Catalogue* seen = nullptr;
  std::vector<std::string> heard;
  options_.on_change = [&] {
    heard.push_back(std::to_string(seen->size()) + (seen->searching() ? " so far" : ""));
  };
  options_.roots = {*MakeRoot("", folder_.path().string())};
  folder_.Write("sub/a.json", SmallTrace());
  Catalogue catalogue(options_);
  seen = &catalogue;
  catalogue.Scan();
  EXPECT_EQ(catalogue.searched(), 602U);
  ASSERT_GE(heard.size(), 2U);
  EXPECT_THAT(heard.front(), testing::EndsWith(" so far"));
  EXPECT_EQ(heard.back(), std::to_string(catalogue.size()));
  heard.clear();
  catalogue.Scan();
  EXPECT_TRUE(heard.empty());
}

TEST_F(CatalogueTest, EndsALookThatIsUnderWay) {
  folder_.Write("a.json", SmallTrace());
  options_.roots = {*MakeRoot("", folder_.path().string())};
  Catalogue catalogue(options_);
  catalogue.Cancel();
  catalogue.Scan();
  EXPECT_TRUE(catalogue.searching());
  EXPECT_TRUE(catalogue.size() == 0);
}

}  // namespace
}  // namespace telltale
