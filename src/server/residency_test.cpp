// SPDX-License-Identifier: Apache-2.0
// The states of a profile, with files that come, grow, change and go. Every look and every load is
// a call: nothing waits.
#include "server/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/memory_meter.h"
#include "runs/test_folder.h"
#include "server/test_profiles.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ResidencyTest : public testing::Test {
 protected:
  // Of the folder, unless a path is given.
  std::unique_ptr<TestProfiles> Make(std::string path = {}) {
    if (path.empty()) path = folder_.path().string();
    listed_.roots = {*MakeRoot("", path)};
    options_.threads = 1;
    auto profiles = std::make_unique<TestProfiles>(listed_, options_);
    profiles->Look();
    return profiles;
  }

  TestFolder folder_;
  CatalogueOptions listed_;
  ResidencyOptions options_;
};

TEST_F(ResidencyTest, GoesFromFoundOverLoadingToReady) {
  folder_.Write("a.json", SmallTrace());
  int changes = 0;
  listed_.on_change = [&] { ++changes; };
  const auto profiles = Make();
  EXPECT_EQ(changes, 1);
  EXPECT_THAT(profiles->Shown(), ElementsAre("a found"));
  const std::string id = profiles->List()[0].id;
  EXPECT_EQ(profiles->List()[0].kind, "trace");

  Residency::Answer answer = profiles->residency.Get(id);
  EXPECT_EQ(answer.profile, nullptr);
  EXPECT_EQ(answer.status->state, ProfileState::kLoading);
  EXPECT_EQ(changes, 2);
  EXPECT_TRUE(profiles->residency.LoadNext());
  EXPECT_FALSE(profiles->residency.LoadNext());
  EXPECT_EQ(changes, 3);

  answer = profiles->residency.Get(id);
  ASSERT_NE(answer.profile, nullptr);
  EXPECT_EQ(answer.status->state, ProfileState::kReady);
  EXPECT_EQ(answer.status->events, 15U);
  EXPECT_EQ(answer.status->generation, 1U);
  EXPECT_EQ(answer.status->loaded_bytes, answer.status->bytes);
  EXPECT_EQ(answer.profile->contexts().size(), 1U);
  profiles->Look();
  EXPECT_EQ(changes, 3) << "nothing changed";
  EXPECT_THAT(profiles->Shown(), ElementsAre("a ready"));
}

TEST_F(ResidencyTest, KnowsNothingOfOtherIds) {
  const auto profiles = Make();
  EXPECT_FALSE(profiles->residency.Get("nope").status.has_value());
}

TEST_F(ResidencyTest, JoinsTheRanksOfACapture) {
  folder_.Write("w0.1700000000000.pt.trace.json", SmallTrace(3, 0));
  folder_.Write("w1.1700000000000.pt.trace.json", SmallTrace(3, 1));
  const auto profiles = Make();
  ASSERT_EQ(profiles->List().size(), 1U);
  const auto open = profiles->Load("");
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(open->subject().Each<Trace>().size(), 2U);
  EXPECT_THAT(profiles->List()[0].ranks, ElementsAre(0, 1));
}

TEST_F(ResidencyTest, SaysWhyABrokenFileCannotBeRead) {
  folder_.Write("bad.1.pt.trace.json", "{\"traceEvents\": 7}");
  const auto profiles = Make();
  EXPECT_EQ(profiles->Load("bad"), nullptr);
  EXPECT_THAT(profiles->Shown(), ElementsAre("bad failed"));
  EXPECT_THAT(profiles->List()[0].error, HasSubstr("bad.1.pt.trace.json"));
  // Asking again does not read it again; another content does.
  static_cast<void>(profiles->residency.Get(profiles->List()[0].id));
  EXPECT_FALSE(profiles->residency.LoadNext());
  folder_.Replace("bad.1.pt.trace.json", SmallTrace());
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("bad found"));
  EXPECT_NE(profiles->Load("bad"), nullptr);
}

TEST_F(ResidencyTest, ReadsAReplacedFileAgainWhenAsked) {
  folder_.Write("a.json", SmallTrace(2));
  const auto profiles = Make();
  const auto before = profiles->Load("a");
  ASSERT_NE(before, nullptr);
  const std::string content = profiles->List()[0].content;
  EXPECT_NE(content, "");
  folder_.Replace("a.json", SmallTrace(5));
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a changed"));
  EXPECT_FALSE(profiles->residency.LoadNext()) << "nobody asked";

  // Until the new one is there, the old one answers.
  const std::string id = profiles->IdOf("a");
  EXPECT_EQ(profiles->residency.Get(id).profile, before);
  EXPECT_EQ(profiles->List()[0].state, ProfileState::kLoading);
  EXPECT_EQ(profiles->List()[0].content, content);
  EXPECT_TRUE(profiles->residency.LoadNext());
  const Residency::Answer after = profiles->residency.Get(id);
  EXPECT_EQ(after.status->generation, 2U);
  EXPECT_NE(after.status->content, content);
  EXPECT_EQ(after.profile->subject().Each<Trace>()[0]->spans.size(), 25U);
  EXPECT_EQ(before->subject().Each<Trace>()[0]->spans.size(), 10U) << "who holds it reads on";
}

TEST_F(ResidencyTest, DoesNotReadAGrowingFileOverAndOver) {
  folder_.Write("a.json", SmallTrace(2));
  const auto profiles = Make();
  ASSERT_NE(profiles->Load("a"), nullptr);
  folder_.Write("a.json", SmallTrace(3));
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a ready growing"));
  folder_.Write("a.json", SmallTrace(4));
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a ready growing"));
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a changed"));
}

TEST_F(ResidencyTest, ListsATraceThatIsEmptyYet) {
  folder_.Write("w.1.pt.trace.json", "");
  const auto profiles = Make();
  EXPECT_THAT(profiles->Shown(), ElementsAre("w found"));
  EXPECT_EQ(profiles->List()[0].kind, "");
  folder_.Write("w.1.pt.trace.json", SmallTrace());
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("w found growing"));
  EXPECT_EQ(profiles->List()[0].kind, "trace");
  EXPECT_NE(profiles->Load("w"), nullptr);
}

TEST_F(ResidencyTest, KeepsWhatIsOpenWhenItsFileIsDeleted) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  const auto profiles = Make();
  ASSERT_NE(profiles->Load("a"), nullptr);
  folder_.Remove("a.json");
  folder_.Remove("b.json");
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a gone"));
  EXPECT_NE(profiles->Get("a").profile, nullptr);
  EXPECT_FALSE(profiles->residency.LoadNext());
  folder_.Write("a.json", SmallTrace());
  profiles->Look();
  EXPECT_NE(profiles->List()[0].state, ProfileState::kGone);
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a changed"));
}

TEST_F(ResidencyTest, SurvivesAFileThatGoesWhileItIsRead) {
  folder_.Write("a.json", SmallTrace());
  TestProfiles* during = nullptr;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    folder_.Remove("a.json");
    during->Look();
    return LoadTraces(paths, options);
  };
  const auto profiles = Make();
  during = profiles.get();
  EXPECT_EQ(profiles->Load("a"), nullptr);
  EXPECT_THAT(profiles->Shown(), ElementsAre("a failed"));
  profiles->Look();
  EXPECT_TRUE(profiles->List().empty());
}

TEST_F(ResidencyTest, ALoadThatIsReadWhileItsFileGrowsIsReadAgainOnlyWhenThatEnds) {
  folder_.Write("a.json", SmallTrace(2));
  const auto profiles = Make();
  folder_.Write("a.json", SmallTrace(3));
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a found growing"));
  ASSERT_NE(profiles->Load("a"), nullptr);
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a ready")) << "as it was read";
  folder_.Write("a.json", SmallTrace(4));
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a ready growing"));
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a changed"));
  folder_.Write("a.json", SmallTrace(5));
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a changed growing"));
}

TEST_F(ResidencyTest, WhoAsksAgainJoinsTheLoadUnderWay) {
  folder_.Write("a.json", SmallTrace());
  int loads = 0;
  TestProfiles* during = nullptr;
  const auto usual = options_.load;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    ++loads;
    EXPECT_EQ(during->Get("a").status->state, ProfileState::kLoading);
    return usual(paths, options);
  };
  const auto profiles = Make();
  during = profiles.get();
  static_cast<void>(profiles->Get("a"));
  EXPECT_NE(profiles->Load("a"), nullptr);
  EXPECT_EQ(loads, 1);
  EXPECT_FALSE(profiles->residency.LoadNext());
}

TEST_F(ResidencyTest, TellsTheListWhatBecomesOfAProfile) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  const auto profiles = Make();
  const uint64_t known = profiles->catalogue.revision();
  static_cast<void>(profiles->Load("a"));
  const std::optional<CatalogueChanges> changes = profiles->catalogue.ChangesSince(known, 10);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->changed.size(), 1U);
  EXPECT_EQ(profiles->residency.StatusOf(changes->changed[0].entry).state, ProfileState::kReady);
}

TEST_F(ResidencyTest, LetsTheLeastRecentlyUsedGo) {
  for (const std::string_view name : {"a.json", "b.json", "c.json"}) {
    folder_.Write(name, SmallTrace());
  }
  const auto probe = Make();
  const size_t one = probe->Load("a")->memory_bytes();
  options_.memory_budget_bytes = 2 * one + one / 2;
  const auto profiles = Make();
  static_cast<void>(profiles->Load("a"));
  static_cast<void>(profiles->Load("b"));
  static_cast<void>(profiles->Get("a"));
  static_cast<void>(profiles->Load("c"));
  EXPECT_THAT(profiles->Shown(), ElementsAre("a ready", "b found", "c ready"));
  EXPECT_LE(profiles->residency.memory_bytes(), options_.memory_budget_bytes);
  EXPECT_NE(profiles->Load("b"), nullptr);
}

struct Large {
  [[nodiscard]] static size_t memory_bytes() { return 1'000'000; }
};

TEST_F(ResidencyTest, CountsWhatIsKeptWithAProfile) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  options_.memory_budget_bytes = 1'500'000;
  const auto profiles = Make();
  const auto derive = [](const OpenProfile& profile, std::string_view key) {
    static_cast<void>(profile.Derived<Large>(
        [](const OpenProfile&) { return std::make_shared<const Large>(); }, key));
  };
  {
    const auto a = profiles->Load("a");
    const size_t before = a->memory_bytes();
    derive(*a, "");
    derive(*a, "");
    EXPECT_EQ(a->memory_bytes(), before + 1'000'000);
    const size_t with_answer = a->memory_bytes();
    a->answers().Keep("x", JsonResponse(std::string(5000, 'x')));
    EXPECT_GE(a->memory_bytes(), with_answer + 5000);
    const auto b = profiles->Load("b");
    for (int i = 0; i < 50; ++i) derive(*b, std::to_string(i));
    EXPECT_LT(b->memory_bytes(), 20'000'000U) << "of those with a key the last few";
  }
  profiles->Look();
  EXPECT_THAT(profiles->Shown(), ElementsAre("a found", "b ready"));
}

TEST_F(ResidencyTest, NeverLetsGoWhatIsInUse) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  options_.memory_budget_bytes = 1;
  const auto profiles = Make();
  const auto held = profiles->Load("a");
  static_cast<void>(profiles->Load("b"));
  EXPECT_THAT(profiles->Shown(), ElementsAre("a ready", "b ready"));
}

TEST_F(ResidencyTest, ForgetsWhatIsGoneAndLetGo) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  options_.memory_budget_bytes = 1;
  const auto profiles = Make();
  ASSERT_NE(profiles->Load("a"), nullptr);
  folder_.Remove("a.json");
  profiles->Look();
  ASSERT_NE(profiles->Load("b"), nullptr);
  EXPECT_THAT(profiles->Shown(), ElementsAre("b ready"));
}

TEST_F(ResidencyTest, LetsOthersGoForALoadThatNeedsTheirRoom) {
  for (const char* name : {"a.json", "b.json", "c.json"}) folder_.Write(name, SmallTrace());
  const auto probe = Make();
  const size_t one = probe->Load("a")->memory_bytes();
  options_.memory_budget_bytes = 3 * one;
  std::vector<std::string> while_loading;
  TestProfiles* made = nullptr;
  const auto usual = options_.load;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    if (paths[0].ends_with("c.json")) {
      options.memory->Change(0, one / 2);
      options.progress(1, 10);
      const std::vector<std::string> some = made->Shown();
      while_loading.insert(while_loading.end(), some.begin(), some.end());
      options.memory->Change(one / 2, 2 * one);
      options.progress(2, 10);
      const std::vector<std::string> more = made->Shown();
      while_loading.insert(while_loading.end(), more.begin(), more.end());
      options.memory->Change(2 * one, 0);
    }
    return usual(paths, options);
  };
  const auto profiles = Make();
  made = profiles.get();
  static_cast<void>(profiles->Load("a"));
  static_cast<void>(profiles->Load("b"));
  static_cast<void>(profiles->Load("c"));
  EXPECT_THAT(while_loading, ElementsAre("a ready", "b ready", "c loading",  //
                                         "a found", "b found", "c loading"));
  EXPECT_THAT(profiles->Shown(), ElementsAre("a found", "b found", "c ready"));
}

TEST_F(ResidencyTest, LetsTheOlderVersionGoLastForALoadThatNeedsItsRoom) {
  folder_.Write("a.json", SmallTrace());
  const auto probe = Make();
  const size_t one = probe->Load("a")->memory_bytes();
  options_.memory_budget_bytes = 2 * one;
  std::vector<bool> is_open;
  TestProfiles* made = nullptr;
  const auto usual = options_.load;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    if (made != nullptr) {
      const std::string id = made->List()[0].id;
      for (const size_t held : {one / 2, 2 * one}) {
        const size_t before = options.memory->held_bytes();
        options.memory->Change(before, held);
        options.progress(1, 10);
        is_open.push_back(made->residency.Get(id).profile != nullptr);
      }
      options.memory->Change(2 * one, 0);
    }
    return usual(paths, options);
  };
  const auto profiles = Make();
  static_cast<void>(profiles->Load("a"));
  made = profiles.get();
  folder_.Replace("a.json", SmallTrace(4));
  profiles->Look();
  ASSERT_NE(profiles->Load("a"), nullptr);
  EXPECT_THAT(is_open, ElementsAre(true, false));
  EXPECT_THAT(profiles->Shown(), ElementsAre("a ready"));
}

TEST_F(ResidencyTest, ShowsOfAProfileAsMuchAsTheBudgetHolds) {
  folder_.Write("a.json", SmallTrace(30'000));
  options_.memory_budget_bytes = size_t{2} << 20;
  const auto profiles = Make();
  const auto a = profiles->Load("a");
  ASSERT_NE(a, nullptr);
  const Trace& trace = *a->subject().Each<Trace>().at(0);
  EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kMemoryLimit), 1U);
  EXPECT_GT(trace.source.events, 1000U);
  EXPECT_LT(trace.source.events, 150'000U);
}

TEST_F(ResidencyTest, SaysThatALoadLackedMemoryAndLoadsOthers) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  const auto usual = options_.load;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    if (paths[0].ends_with("a.json")) throw std::bad_alloc();
    return usual(paths, options);
  };
  const auto profiles = Make();
  EXPECT_EQ(profiles->Load("a"), nullptr);
  EXPECT_THAT(profiles->List()[0].error, HasSubstr("not enough memory"));
  EXPECT_NE(profiles->Load("b"), nullptr);
  EXPECT_THAT(profiles->Shown(), ElementsAre("a failed", "b ready"));
}

TEST_F(ResidencyTest, TellsAtTheNextLookWhatCouldNotBeTold) {
  folder_.Write("a.json", SmallTrace());
  bool fails = true;
  int told = 0;
  listed_.on_change = [&] {
    if (fails) throw std::bad_alloc();
    ++told;
  };
  const auto profiles = Make();
  EXPECT_NE(profiles->Load("a"), nullptr);
  fails = false;
  profiles->Look();
  EXPECT_EQ(told, 1);
  profiles->Look();
  EXPECT_EQ(told, 1) << "nothing changed";
}

TEST_F(ResidencyTest, LoadsEvenIfProgressCannotBeTold) {
  folder_.Write("a.json", SmallTrace());
  options_.on_progress = [](auto...) { throw std::bad_alloc(); };
  const auto profiles = Make();
  EXPECT_NE(profiles->Load("a"), nullptr);
}

TEST_F(ResidencyTest, LoadsWhatWasAskedForLastFirst) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("b.json", SmallTrace());
  const auto profiles = Make();
  static_cast<void>(profiles->Get("a"));
  static_cast<void>(profiles->Get("b"));
  EXPECT_TRUE(profiles->residency.LoadNext());
  EXPECT_THAT(profiles->Shown(), ElementsAre("a loading", "b ready"));
}

TEST_F(ResidencyTest, ReportsProgressNowAndThen) {
  folder_.Write("a.json", SmallTrace());
  std::chrono::steady_clock::time_point clock{std::chrono::hours(1)};
  options_.now = [&] { return clock; };
  std::vector<uint64_t> seen;
  TestProfiles* during = nullptr;
  options_.on_progress = [&](std::string_view id, uint64_t loaded_bytes, uint64_t total_bytes) {
    EXPECT_EQ(id, during->IdOf("a"));
    EXPECT_THAT(during->Shown(), ElementsAre("a loading"));
    EXPECT_EQ(during->List()[0].loaded_bytes, loaded_bytes);
    EXPECT_EQ(total_bytes, 1000U);
    seen.push_back(loaded_bytes);
  };
  options_.load = [&](std::span<const std::string>, const LoadOptions& options) {
    options.progress(10, 1000);
    options.progress(20, 1000);
    clock += std::chrono::milliseconds(150);
    options.progress(30, 1000);
    return Result<Subject>(Subject());
  };
  const auto profiles = Make();
  during = profiles.get();
  static_cast<void>(profiles->Load("a"));
  EXPECT_THAT(seen, ElementsAre(10, 30));
}

TEST_F(ResidencyTest, EndsALoadThatIsUnderWay) {
  folder_.Write("a.json", SmallTrace());
  TestProfiles* during = nullptr;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    during->residency.Cancel();
    return LoadTraces(paths, options);
  };
  const auto profiles = Make();
  during = profiles.get();
  EXPECT_EQ(profiles->Load("a"), nullptr);
  EXPECT_EQ(profiles->List()[0].error, "");
}

TEST_F(ResidencyTest, ChecksTheLinkAgainWhenItOpensTheFile) {
  TestFolder secret;
  const std::string target = secret.Write("secret.json", SmallTrace());
  folder_.Write("own.json", SmallTrace());
  bool read = false;
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    Result<Subject> subject = LoadTraces(paths, options);
    read = subject.has_value();
    return subject;
  };
  const auto profiles = Make();
  const std::string id = profiles->IdOf("own");
  static_cast<void>(profiles->residency.Get(id));
  folder_.Remove("own.json");
  fs::create_symlink(target, folder_ / "own.json");
  EXPECT_TRUE(profiles->residency.LoadNext());
  EXPECT_FALSE(read);
  EXPECT_EQ(profiles->residency.Get(id).profile, nullptr);
  EXPECT_THAT(profiles->List()[0].error, HasSubstr("leads out"));
}

TEST_F(ResidencyTest, DropsWhatWasReadThroughALinkThatTurned) {
  TestFolder secret;
  const std::string target = secret.Write("secret.json", SmallTrace());
  folder_.Write("own.json", SmallTrace());
  options_.load = [&](std::span<const std::string> paths, const LoadOptions& options) {
    folder_.Remove("own.json");
    fs::create_symlink(target, folder_ / "own.json");
    return LoadTraces(paths, options);
  };
  const auto profiles = Make();
  EXPECT_EQ(profiles->Load("own"), nullptr);
}

TEST_F(ResidencyTest, OpensFilesThatAreNamedWhateverTheyHold) {
  const std::string path = folder_.Write("odd", "no profile at all");
  folder_.Write("neighbour.json", SmallTrace());
  const auto profiles = Make(path);
  ASSERT_EQ(profiles->List().size(), 1U) << "nothing beside it";
  EXPECT_EQ(profiles->Load("odd"), nullptr);
  EXPECT_EQ(profiles->List()[0].state, ProfileState::kFailed);
}

}  // namespace
}  // namespace telltale
