// SPDX-License-Identifier: Apache-2.0
// The states of a profile, with files that come, grow, change and go. Every look and every load is
// a call: nothing waits.
#include "server/catalogue.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "formats/memory_meter.h"
#include "server/catalogue_threads.h"
#include "server/test_folder.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class CatalogueTest : public testing::Test {
 protected:
  std::unique_ptr<Catalogue> Make(std::vector<std::string> paths = {}) {
    if (paths.empty()) paths = {folder_.path().string()};
    for (const std::string& path : paths) {
      Result<Root> root = MakeRoot("", path);
      EXPECT_TRUE(root.has_value()) << path;
      if (root) options_.roots.push_back(*root);
    }
    options_.threads = 1;
    auto catalogue = std::make_unique<Catalogue>(options_);
    catalogue->Scan();
    return catalogue;
  }

  // "name state" of all.
  static std::vector<std::string> Shown(const Catalogue& catalogue) {
    std::vector<std::string> shown;
    for (const ProfileStatus& status : catalogue.List()) {
      shown.push_back(status.name.substr(status.name.find('/') + 1) + " " +
                      std::string(NameOf(status.state)) + (status.growing ? " growing" : ""));
    }
    return shown;
  }

  static std::string IdOf(const Catalogue& catalogue, std::string_view name) {
    for (const ProfileStatus& status : catalogue.List()) {
      if (status.name.ends_with(name)) return status.id;
    }
    ADD_FAILURE() << "no profile " << name;
    return "";
  }

  static std::shared_ptr<const OpenProfile> Load(Catalogue& catalogue, std::string_view name) {
    const std::string id = IdOf(catalogue, name);
    static_cast<void>(catalogue.Get(id));
    while (catalogue.LoadNext()) {
    }
    return catalogue.Get(id).profile;
  }

  TestFolder folder_;
  CatalogueOptions options_;
};

TEST_F(CatalogueTest, GoesFromFoundOverLoadingToReady) {
  folder_.Write("a.json", SmallTrace());
  int changes = 0;
  options_.on_change = [&] { ++changes; };
  const auto catalogue = Make();
  EXPECT_EQ(changes, 1);
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a found"));
  const std::string id = catalogue->List()[0].id;
  EXPECT_EQ(catalogue->List()[0].kind, "trace");

  Catalogue::Answer answer = catalogue->Get(id);
  EXPECT_EQ(answer.profile, nullptr);
  EXPECT_EQ(answer.status->state, ProfileState::kLoading);
  EXPECT_EQ(changes, 2);
  EXPECT_TRUE(catalogue->LoadNext());
  EXPECT_FALSE(catalogue->LoadNext());
  EXPECT_EQ(changes, 3);

  answer = catalogue->Get(id);
  ASSERT_NE(answer.profile, nullptr);
  EXPECT_EQ(answer.status->state, ProfileState::kReady);
  EXPECT_EQ(answer.status->events, 15U);
  EXPECT_EQ(answer.status->generation, 1U);
  EXPECT_EQ(answer.status->loaded_bytes, answer.status->bytes);
  EXPECT_EQ(answer.profile->contexts().size(), 1U);
  catalogue->Scan();
  EXPECT_EQ(changes, 3) << "nothing changed";
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a ready"));
}

TEST_F(CatalogueTest, SaysUntilItHasLooked) {
  Catalogue catalogue(options_);
  EXPECT_TRUE(catalogue.searching());
  catalogue.Scan();
  EXPECT_FALSE(catalogue.searching());
}

TEST_F(CatalogueTest, KnowsNothingOfOtherIds) {
  const auto catalogue = Make();
  EXPECT_FALSE(catalogue->Get("nope").status.has_value());
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
  EXPECT_THAT(Shown(*catalogue),
              ElementsAre("run/deep/er/a.speedscope found", "run/worker0 found"));
}

TEST_F(CatalogueTest, JoinsTheRanksOfACapture) {
  folder_.Write("w0.1700000000000.pt.trace.json", SmallTrace(3, 0));
  folder_.Write("w1.1700000000000.pt.trace.json", SmallTrace(3, 1));
  const auto catalogue = Make();
  ASSERT_EQ(catalogue->List().size(), 1U);
  const auto open = Load(*catalogue, "");
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(open->subject().Each<Trace>().size(), 2U);
  EXPECT_THAT(catalogue->List()[0].ranks, ElementsAre(0, 1));
}

TEST_F(CatalogueTest, ShowsWhatAppears) {
  const auto catalogue = Make();
  EXPECT_TRUE(catalogue->List().empty());
  folder_.Write("new.json", SmallTrace());
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("new found"));
}

TEST_F(CatalogueTest, SaysWhyABrokenFileCannotBeRead) {
  folder_.Write("bad.1.pt.trace.json", "{\"traceEvents\": 7}");
  const auto catalogue = Make();
  EXPECT_EQ(Load(*catalogue, "bad"), nullptr);
  EXPECT_THAT(Shown(*catalogue), ElementsAre("bad failed"));
  EXPECT_THAT(catalogue->List()[0].error, HasSubstr("bad.1.pt.trace.json"));
  // Asking again does not read it again; another content does.
  static_cast<void>(catalogue->Get(catalogue->List()[0].id));
  EXPECT_FALSE(catalogue->LoadNext());
  folder_.Replace("bad.1.pt.trace.json", SmallTrace());
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("bad found"));
  EXPECT_NE(Load(*catalogue, "bad"), nullptr);
}

TEST_F(CatalogueTest, ReadsAReplacedFileAgainWhenAsked) {
  folder_.Write("a.json", SmallTrace(2));
  const auto catalogue = Make();
  const auto before = Load(*catalogue, "a");
  ASSERT_NE(before, nullptr);
  const std::string content = catalogue->List()[0].content;
  EXPECT_NE(content, "");
  folder_.Replace("a.json", SmallTrace(5));
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a changed"));
  EXPECT_FALSE(catalogue->LoadNext()) << "nobody asked";

  // Until the new one is there, the old one answers.
  const std::string id = IdOf(*catalogue, "a");
  EXPECT_EQ(catalogue->Get(id).profile, before);
  EXPECT_EQ(catalogue->List()[0].state, ProfileState::kLoading);
  EXPECT_EQ(catalogue->List()[0].content, content);
  EXPECT_TRUE(catalogue->LoadNext());
  const Catalogue::Answer after = catalogue->Get(id);
  EXPECT_EQ(after.status->generation, 2U);
  EXPECT_NE(after.status->content, content);
  EXPECT_EQ(after.profile->subject().Each<Trace>()[0]->spans.size(), 25U);
  EXPECT_EQ(before->subject().Each<Trace>()[0]->spans.size(), 10U) << "who holds it reads on";
}

TEST_F(CatalogueTest, DoesNotReadAGrowingFileOverAndOver) {
  folder_.Write("a.json", SmallTrace(2));
  const auto catalogue = Make();
  ASSERT_NE(Load(*catalogue, "a"), nullptr);
  folder_.Write("a.json", SmallTrace(3));
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a ready growing"));
  folder_.Write("a.json", SmallTrace(4));
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a ready growing"));
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a changed"));
}

TEST_F(CatalogueTest, ListsATraceThatIsEmptyYet) {
  folder_.Write("w.1.pt.trace.json", "");
  const auto catalogue = Make();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("w found"));
  EXPECT_EQ(catalogue->List()[0].kind, "");
  folder_.Write("w.1.pt.trace.json", SmallTrace());
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("w found growing"));
  EXPECT_EQ(catalogue->List()[0].kind, "trace");
  EXPECT_NE(Load(*catalogue, "w"), nullptr);
}

TEST_F(CatalogueTest, KeepsWhatIsOpenWhenItsFileIsDeleted) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  const auto catalogue = Make();
  ASSERT_NE(Load(*catalogue, "a"), nullptr);
  folder_.Remove("a.json");
  folder_.Remove("b.json");
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a gone"));
  EXPECT_NE(catalogue->Get(IdOf(*catalogue, "a")).profile, nullptr);
  EXPECT_FALSE(catalogue->LoadNext());
  folder_.Write("a.json", SmallTrace());
  catalogue->Scan();
  EXPECT_NE(catalogue->List()[0].state, ProfileState::kGone);
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a changed"));
}

TEST_F(CatalogueTest, SurvivesAFileThatGoesWhileItIsRead) {
  folder_.Write("a.json", SmallTrace());
  Catalogue* during = nullptr;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    folder_.Remove("a.json");
    during->Scan();
    return LoadTraces(paths, options);
  };
  const auto catalogue = Make();
  during = catalogue.get();
  EXPECT_EQ(Load(*catalogue, "a"), nullptr);
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a failed"));
  catalogue->Scan();
  EXPECT_TRUE(catalogue->List().empty());
}

TEST_F(CatalogueTest, LetsTheLeastRecentlyUsedGo) {
  for (const std::string_view name : {"a.json", "b.json", "c.json"}) {
    folder_.Write(name, SmallTrace());
  }
  const auto probe = Make();
  const size_t one = Load(*probe, "a")->memory_bytes();
  options_.roots.clear();
  options_.memory_budget_bytes = 2 * one + one / 2;
  const auto catalogue = Make();
  static_cast<void>(Load(*catalogue, "a"));
  static_cast<void>(Load(*catalogue, "b"));
  static_cast<void>(catalogue->Get(IdOf(*catalogue, "a")));
  static_cast<void>(Load(*catalogue, "c"));
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a ready", "b found", "c ready"));
  EXPECT_LE(catalogue->memory_bytes(), options_.memory_budget_bytes);
  EXPECT_NE(Load(*catalogue, "b"), nullptr);
}

std::string LastPart(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::vector<std::string> Told(const ListChanges& changes) {
  std::vector<std::string> told;
  for (const auto& [after, status] : changes.changed) {
    told.push_back(LastPart(status.name) + " " + std::string(NameOf(status.state)) +
                   (after.empty() ? " first" : " after " + after));
  }
  for (const std::string& id : changes.gone) told.push_back("gone " + id);
  return told;
}

TEST_F(CatalogueTest, TellsWhatChangedSinceARevision) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("c.json", SmallTrace());
  const auto catalogue = Make();
  const auto id_of = [&](size_t place) { return catalogue->List().at(place).id; };
  const std::string a = id_of(0);
  const std::string c = id_of(1);
  uint64_t known = catalogue->revision();
  const auto told = [&] {
    const std::optional<ListChanges> changes = catalogue->ChangesSince(known, 10);
    EXPECT_TRUE(changes);
    known = catalogue->revision();
    return changes ? Told(*changes) : std::vector<std::string>();
  };
  catalogue->Scan();
  EXPECT_THAT(told(), ElementsAre()) << "nothing happened";
  static_cast<void>(Load(*catalogue, "a"));
  EXPECT_THAT(told(), ElementsAre("a ready first"));
  folder_.Write("b.json", SmallTrace());
  catalogue->Scan();
  EXPECT_THAT(told(), ElementsAre("b found after " + a)) << "the others are where they were";
  folder_.Remove("c.json");
  catalogue->Scan();
  EXPECT_THAT(told(), ElementsAre("gone " + c));
  EXPECT_EQ(catalogue->ChangesSince(known - 1, 0), std::nullopt) << "more than wanted";
  EXPECT_EQ(catalogue->ChangesSince(1, 10), std::nullopt) << "of another server";
}

TEST_F(CatalogueTest, AFileThatIsMovedKeepsItsId) {
  folder_.Write("a.json", SmallTrace());
  const auto catalogue = Make();
  const std::string id = catalogue->List().at(0).id;
  folder_.Rename("a.json", "deeper.json");
  catalogue->Scan();
  ASSERT_EQ(catalogue->List().size(), 1U);
  EXPECT_EQ(catalogue->List().at(0).id, id);
  EXPECT_EQ(LastPart(catalogue->List().at(0).name), "deeper");
  EXPECT_NE(Load(*catalogue, "deeper"), nullptr);
  // What comes to the old place is another one, and stays so.
  folder_.Write("a.json", SmallTrace());
  for (int look = 0; look < 2; ++look) {
    catalogue->Scan();
    ASSERT_EQ(catalogue->List().size(), 2U);
    EXPECT_NE(catalogue->List().at(0).id, id);
    EXPECT_EQ(catalogue->List().at(1).id, id);
  }
  // Back again: the id is that of the path in any case.
  folder_.Remove("a.json");
  folder_.Rename("deeper.json", "a.json");
  catalogue->Scan();
  ASSERT_EQ(catalogue->List().size(), 1U);
  EXPECT_EQ(catalogue->List().at(0).id, id);
}

TEST_F(CatalogueTest, PagesOfTheListJoinToTheWhole) {
  for (const char* name : {"a.json", "b.json", "c.json"}) folder_.Write(name, SmallTrace());
  const auto catalogue = Make();
  const auto names = [&](size_t offset, size_t limit) {
    std::string all;
    const ProfilePage page = catalogue->Page(offset, limit);
    EXPECT_EQ(page.total, 3U);
    for (const ProfileStatus& status : page.profiles) all += LastPart(status.name);
    return all;
  };
  EXPECT_EQ(names(0, 2), "ab");
  EXPECT_EQ(names(2, 2), "c");
  EXPECT_EQ(names(3, 2), "");
  EXPECT_EQ(names(9, SIZE_MAX), "");
  EXPECT_EQ(names(0, 0), "");
}

struct Large {
  [[nodiscard]] static size_t memory_bytes() { return 1'000'000; }
};

class Left : public CancelToken {
 public:
  [[nodiscard]] bool canceled() const override { return true; }
};

TEST_F(CatalogueTest, WhatNobodyWaitsForIsNotDerivedButLaterByOthers) {
  folder_.Write("a.json", SmallTrace());
  const auto catalogue = Make();
  const auto a = Load(*catalogue, "a");
  int made = 0;
  const auto derive = [&] {
    return a->Derived<Large>([&](const OpenProfile&) {
      StopIfCanceled();
      ++made;
      return std::make_shared<const Large>();
    });
  };
  {
    const Left left;
    const CancelScope scope(&left);
    EXPECT_THROW(static_cast<void>(derive()), Canceled);
  }
  EXPECT_EQ(made, 0);
  EXPECT_NE(derive(), nullptr);
  EXPECT_NE(derive(), nullptr);
  EXPECT_EQ(made, 1);
}

TEST_F(CatalogueTest, CountsWhatIsKeptWithAProfile) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  options_.memory_budget_bytes = 1'500'000;
  const auto catalogue = Make();
  const auto derive = [](const OpenProfile& profile, std::string_view key) {
    static_cast<void>(profile.Derived<Large>(
        [](const OpenProfile&) { return std::make_shared<const Large>(); }, key));
  };
  {
    const auto a = Load(*catalogue, "a");
    const size_t before = a->memory_bytes();
    derive(*a, "");
    derive(*a, "");
    EXPECT_EQ(a->memory_bytes(), before + 1'000'000);
    const size_t with_answer = a->memory_bytes();
    a->answers().Keep("x", JsonResponse(std::string(5000, 'x')));
    EXPECT_GE(a->memory_bytes(), with_answer + 5000);
    const auto b = Load(*catalogue, "b");
    for (int i = 0; i < 50; ++i) derive(*b, std::to_string(i));
    EXPECT_LT(b->memory_bytes(), 20'000'000U) << "of those with a key the last few";
  }
  catalogue->Scan();
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a found", "b ready"));
}

TEST_F(CatalogueTest, NeverLetsGoWhatIsInUse) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  options_.memory_budget_bytes = 1;
  const auto catalogue = Make();
  const auto held = Load(*catalogue, "a");
  static_cast<void>(Load(*catalogue, "b"));
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a ready", "b ready"));
}

TEST_F(CatalogueTest, ForgetsWhatIsGoneAndLetGo) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  options_.memory_budget_bytes = 1;
  const auto catalogue = Make();
  ASSERT_NE(Load(*catalogue, "a"), nullptr);
  folder_.Remove("a.json");
  catalogue->Scan();
  ASSERT_NE(Load(*catalogue, "b"), nullptr);
  EXPECT_THAT(Shown(*catalogue), ElementsAre("b ready"));
}

TEST_F(CatalogueTest, LetsOthersGoForALoadThatNeedsTheirRoom) {
  for (const char* name : {"a.json", "b.json", "c.json"}) folder_.Write(name, SmallTrace());
  const auto probe = Make();
  const size_t one = Load(*probe, "a")->memory_bytes();
  options_.roots.clear();
  options_.memory_budget_bytes = 3 * one;
  std::vector<std::string> while_loading;
  Catalogue* made = nullptr;
  const auto usual = options_.load;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    if (paths[0].ends_with("c.json")) {
      options.memory->Change(0, one / 2);
      options.progress(1, 10);
      const std::vector<std::string> some = Shown(*made);
      while_loading.insert(while_loading.end(), some.begin(), some.end());
      options.memory->Change(one / 2, 2 * one);
      options.progress(2, 10);
      const std::vector<std::string> more = Shown(*made);
      while_loading.insert(while_loading.end(), more.begin(), more.end());
      options.memory->Change(2 * one, 0);
    }
    return usual(paths, options);
  };
  const auto catalogue = Make();
  made = catalogue.get();
  static_cast<void>(Load(*catalogue, "a"));
  static_cast<void>(Load(*catalogue, "b"));
  static_cast<void>(Load(*catalogue, "c"));
  EXPECT_THAT(while_loading, ElementsAre("a ready", "b ready", "c loading",  //
                                         "a found", "b found", "c loading"));
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a found", "b found", "c ready"));
}

TEST_F(CatalogueTest, LetsTheOlderVersionGoLastForALoadThatNeedsItsRoom) {
  folder_.Write("a.json", SmallTrace());
  const auto probe = Make();
  const size_t one = Load(*probe, "a")->memory_bytes();
  options_.roots.clear();
  options_.memory_budget_bytes = 2 * one;
  std::vector<bool> is_open;
  Catalogue* made = nullptr;
  const auto usual = options_.load;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    if (made != nullptr) {
      const std::string id = made->List()[0].id;
      for (const size_t held : {one / 2, 2 * one}) {
        const size_t before = options.memory->held_bytes();
        options.memory->Change(before, held);
        options.progress(1, 10);
        is_open.push_back(made->Get(id).profile != nullptr);
      }
      options.memory->Change(2 * one, 0);
    }
    return usual(paths, options);
  };
  const auto catalogue = Make();
  static_cast<void>(Load(*catalogue, "a"));
  made = catalogue.get();
  folder_.Replace("a.json", SmallTrace(4));
  catalogue->Scan();
  ASSERT_NE(Load(*catalogue, "a"), nullptr);
  EXPECT_THAT(is_open, ElementsAre(true, false));
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a ready"));
}

TEST_F(CatalogueTest, ShowsOfAProfileAsMuchAsTheBudgetHolds) {
  folder_.Write("a.json", SmallTrace(30'000));
  options_.memory_budget_bytes = size_t{2} << 20;
  const auto catalogue = Make();
  const auto a = Load(*catalogue, "a");
  ASSERT_NE(a, nullptr);
  const Trace& trace = *a->subject().Each<Trace>().at(0);
  EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kMemoryLimit), 1U);
  EXPECT_GT(trace.source.events, 1000U);
  EXPECT_LT(trace.source.events, 150'000U);
}

TEST_F(CatalogueTest, SaysThatALoadLackedMemoryAndLoadsOthers) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  const auto usual = options_.load;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    if (paths[0].ends_with("a.json")) throw std::bad_alloc();
    return usual(paths, options);
  };
  const auto catalogue = Make();
  EXPECT_EQ(Load(*catalogue, "a"), nullptr);
  EXPECT_THAT(catalogue->List()[0].error, HasSubstr("not enough memory"));
  EXPECT_NE(Load(*catalogue, "b"), nullptr);
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a failed", "b ready"));
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
  EXPECT_NE(Load(*catalogue, "a"), nullptr);
  fails = false;
  catalogue->Scan();
  EXPECT_EQ(told, 1);
  catalogue->Scan();
  EXPECT_EQ(told, 1) << "nothing changed";
}

TEST_F(CatalogueTest, LoadsEvenIfProgressCannotBeTold) {
  folder_.Write("a.json", SmallTrace());
  options_.on_progress = [](const ProfileStatus&) { throw std::bad_alloc(); };
  const auto catalogue = Make();
  EXPECT_NE(Load(*catalogue, "a"), nullptr);
}

TEST_F(CatalogueTest, LoadsWhatWasAskedForLastFirst) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  const auto catalogue = Make();
  static_cast<void>(catalogue->Get(IdOf(*catalogue, "a")));
  static_cast<void>(catalogue->Get(IdOf(*catalogue, "b")));
  EXPECT_TRUE(catalogue->LoadNext());
  EXPECT_THAT(Shown(*catalogue), ElementsAre("a loading", "b ready"));
}

TEST_F(CatalogueTest, ReportsProgressNowAndThen) {
  folder_.Write("a.json", SmallTrace());
  std::chrono::steady_clock::time_point clock{std::chrono::hours(1)};
  options_.now = [&] { return clock; };
  std::vector<uint64_t> seen;
  options_.on_progress = [&](const ProfileStatus& status) {
    EXPECT_EQ(status.state, ProfileState::kLoading);
    EXPECT_EQ(status.total_bytes, 1000U);
    seen.push_back(status.loaded_bytes);
  };
  options_.load = [&](std::span<const std::string>, const LoadOptions& options) {
    options.progress(10, 1000);
    options.progress(20, 1000);
    clock += std::chrono::milliseconds(150);
    options.progress(30, 1000);
    return Result<Subject>(Subject());
  };
  const auto catalogue = Make();
  static_cast<void>(Load(*catalogue, "a"));
  EXPECT_THAT(seen, ElementsAre(10, 30));
}

TEST_F(CatalogueTest, EndsALoadThatIsUnderWay) {
  folder_.Write("a.json", SmallTrace());
  Catalogue* during = nullptr;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    during->Cancel();
    return LoadTraces(paths, options);
  };
  const auto catalogue = Make();
  during = catalogue.get();
  EXPECT_EQ(Load(*catalogue, "a"), nullptr);
  EXPECT_EQ(catalogue->List()[0].error, "");
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
  EXPECT_THAT(Shown(*catalogue), ElementsAre("own found"));
}

TEST_F(CatalogueTest, ChecksTheLinkAgainWhenItOpensTheFile) {
  TestFolder secret;
  const std::string target = secret.Write("secret.json", SmallTrace());
  folder_.Write("own.json", SmallTrace());
  bool read = false;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    Result<Subject> subject = LoadTraces(paths, options);
    read = subject.has_value();
    return subject;
  };
  const auto catalogue = Make();
  const std::string id = IdOf(*catalogue, "own");
  static_cast<void>(catalogue->Get(id));
  folder_.Remove("own.json");
  fs::create_symlink(target, folder_ / "own.json");
  EXPECT_TRUE(catalogue->LoadNext());
  EXPECT_FALSE(read);
  EXPECT_EQ(catalogue->Get(id).profile, nullptr);
  EXPECT_THAT(catalogue->List()[0].error, HasSubstr("leads out"));
}

TEST_F(CatalogueTest, DropsWhatWasReadThroughALinkThatTurned) {
  TestFolder secret;
  const std::string target = secret.Write("secret.json", SmallTrace());
  folder_.Write("own.json", SmallTrace());
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    folder_.Remove("own.json");
    fs::create_symlink(target, folder_ / "own.json");
    return LoadTraces(paths, options);
  };
  const auto catalogue = Make();
  EXPECT_EQ(Load(*catalogue, "own"), nullptr);
}

TEST_F(CatalogueTest, FollowsLinksInsideOfTheRoots) {
  folder_.Write("data/a.json", SmallTrace());
  fs::create_directories(folder_ / "view");
  fs::create_symlink(folder_ / "data/a.json", folder_ / "view/latest.json");
  const auto both = Make();
  EXPECT_THAT(Shown(*both), ElementsAre("data/a found")) << "once, where it is";
  options_.roots.clear();
  const auto one = Make({folder_ / "view", folder_ / "data/a.json"});
  EXPECT_EQ(one->List().size(), 1U);
}

TEST_F(CatalogueTest, OpensFilesThatAreNamedWhateverTheyHold) {
  const std::string path = folder_.Write("odd", "no profile at all");
  folder_.Write("neighbour.json", SmallTrace());
  const auto catalogue = Make({path});
  ASSERT_EQ(catalogue->List().size(), 1U) << "nothing beside it";
  EXPECT_EQ(Load(*catalogue, "odd"), nullptr);
  EXPECT_EQ(catalogue->List()[0].state, ProfileState::kFailed);
}

TEST_F(CatalogueTest, TellsRootsOfTheSameNameApart) {
  folder_.Write("x/logs/a.json", SmallTrace());
  folder_.Write("y/logs/a.json", SmallTrace());
  const auto catalogue = Make({folder_ / "x/logs", folder_ / "y/logs"});
  const std::vector<ProfileStatus> list = catalogue->List();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_NE(list[0].id, list[1].id);
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
  EXPECT_EQ(catalogue->List().size(), 1U);
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
  EXPECT_EQ(few->List().size(), 4U);
  EXPECT_TRUE(few->cut());
  options_.roots.clear();
  options_.limits = {.depth = 3, .entries = 1000, .files = 1000};
  const auto shallow = Make();
  EXPECT_EQ(shallow->List().size(), 5U);
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
  EXPECT_THAT(shown, testing::Contains("runs/t found"));
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
    heard.push_back(std::to_string(seen->List().size()) + (seen->searching() ? " so far" : ""));
  };
  options_.roots = {*MakeRoot("", folder_.path().string())};
  folder_.Write("sub/a.json", SmallTrace());
  Catalogue catalogue(options_);
  seen = &catalogue;
  catalogue.Scan();
  EXPECT_EQ(catalogue.searched(), 602U);
  ASSERT_GE(heard.size(), 2U);
  EXPECT_THAT(heard.front(), testing::EndsWith(" so far"));
  EXPECT_EQ(heard.back(), std::to_string(catalogue.List().size()));
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
  EXPECT_TRUE(catalogue.List().empty());
}

TEST(Roots, TakeNamesAndPaths) {
  TestFolder folder;
  folder.Write("a:b/x.json", "");
  const Result<Root> plain = MakeRoot("", folder / "a:b");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->name, "a:b");
  const Result<Root> named = MakeRoot("mine", folder.path().string());
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->name, "mine");
  EXPECT_EQ(named->real, folder.path().string());
  EXPECT_FALSE(MakeRoot("", "/does/not/exist").has_value());
}

TEST(Roots, AllowOnlyWhatIsBelow) {
  TestFolder folder;
  folder.Write("in/a.json", "");
  folder.Write("inside/b.json", "");
  const FileGate gate = GateTo({*MakeRoot("", folder / "in")});
  EXPECT_TRUE(gate.Allows(folder / "in/a.json"));
  EXPECT_FALSE(gate.Allows(folder / "inside/b.json"));
  EXPECT_FALSE(gate.Allows(folder / "in/../inside/b.json"));
  EXPECT_FALSE(gate.Allows(folder / "in/missing.json"));
  EXPECT_FALSE(gate.Allows("/etc/passwd"));
}

TEST(CatalogueThreads, PauseLongerWhereLookingIsWork) {
  using std::chrono::milliseconds;
  EXPECT_EQ(PauseAfterScan(milliseconds(1)), milliseconds(1000));
  EXPECT_EQ(PauseAfterScan(milliseconds(200)), milliseconds(4000));
  EXPECT_EQ(PauseAfterScan(std::chrono::seconds(60)), milliseconds(30'000));
}

// Real threads: the first profile is loaded without being asked for; ending them ends a load.
TEST(CatalogueThreads, LoadTheFirstProfileAndEnd) {
  TestFolder folder;
  folder.Write("a.json", SmallTrace());
  CatalogueOptions options;
  options.roots = {*MakeRoot("", folder.path().string())};
  std::mutex mutex;
  std::condition_variable ready;
  bool done = false;
  Catalogue* seen = nullptr;
  options.on_change = [&] {
    if (seen == nullptr || seen->List().empty()) return;
    if (seen->List()[0].state != ProfileState::kReady) return;
    const std::lock_guard lock(mutex);
    done = true;
    ready.notify_all();
  };
  Catalogue catalogue(options);
  seen = &catalogue;
  {
    const CatalogueThreads threads(catalogue, true);
    std::unique_lock lock(mutex);
    EXPECT_TRUE(ready.wait_for(lock, std::chrono::seconds(60), [&] { return done; }));
  }
  EXPECT_EQ(catalogue.List()[0].generation, 1U);
}

}  // namespace
}  // namespace telltale
