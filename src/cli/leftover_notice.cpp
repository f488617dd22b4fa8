// SPDX-License-Identifier: Apache-2.0
#include "cli/leftover_notice.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "cli/commands.h"
#include "collect/leftovers.h"
#include "views/render/display.h"

namespace telltale {

namespace {

std::vector<std::string> FoldersOf(std::span<const Root> roots) {
  std::vector<std::string> out;
  for (const Root& root : roots) {
    if (root.is_folder) out.push_back(root.real);
  }
  return out;
}

}  // namespace

void BringInAndSay(std::span<const std::string> folders) {
  for (const Leftover& leftover : BringInLeftovers(folders)) {
    PrintError(Printable(Describe(leftover), true));
  }
}

void BringInAndSay(std::span<const Root> roots) { BringInAndSay(FoldersOf(roots)); }

LeftoverWatch::LeftoverWatch(std::span<const Root> roots) {
  BringInAndSay(roots);
  thread_ = std::jthread([folders = FoldersOf(roots)](const std::stop_token& stop) {
    constexpr std::chrono::seconds kBetween(10);
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, stop, kBetween, [] { return false; })) {
      if (stop.stop_requested()) return;
      BringInAndSay(folders);
    }
  });
}

}  // namespace telltale
