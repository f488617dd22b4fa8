// SPDX-License-Identifier: Apache-2.0
#include "server/profile_threads.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "runs/test_folder.h"
#include "server/test_profiles.h"

namespace telltale {
namespace {

TEST(ProfileThreads, PauseLongerWhereLookingIsWork) {
  using std::chrono::milliseconds;
  EXPECT_EQ(PauseAfterScan(milliseconds(1)), milliseconds(1000));
  EXPECT_EQ(PauseAfterScan(milliseconds(40)), milliseconds(4000));
  EXPECT_EQ(PauseAfterScan(std::chrono::seconds(60)), milliseconds(30'000));
}

// Real threads: the first profile is loaded without being asked for; ending them ends a load.
TEST(ProfileThreads, LoadTheFirstProfileAndEnd) {
  TestFolder folder;
  folder.Write("a.json", SmallTrace());
  std::mutex mutex;
  std::condition_variable ready;
  bool done = false;
  TestProfiles* seen = nullptr;
  CatalogueOptions options;
  options.roots = {*MakeRoot("", folder.path().string())};
  options.on_change = [&] {
    if (seen->List().empty() || seen->List()[0].state != ProfileState::kReady) return;
    const std::lock_guard lock(mutex);
    done = true;
    ready.notify_all();
  };
  TestProfiles profiles(options, {});
  seen = &profiles;
  {
    const ProfileThreads threads(profiles.catalogue, profiles.residency, true);
    std::unique_lock lock(mutex);
    EXPECT_TRUE(ready.wait_for(lock, std::chrono::seconds(60), [&] { return done; }));
  }
  EXPECT_EQ(profiles.List()[0].generation, 1U);
}

}  // namespace
}  // namespace telltale
