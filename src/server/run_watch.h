// SPDX-License-Identifier: Apache-2.0
// Keeps the runs up to date: one thread takes what the catalogue's walk finds, and looks at the
// files that are known more often. What it takes is bounded by what it leaves: the pause after a
// look is so much longer than the look.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "runs/workspace.h"

namespace telltale {

struct WatchPauses {
  // After a look that took so much of the processor: on a busy machine it would seem longer.
  [[nodiscard]] static std::chrono::milliseconds AfterPoll(std::chrono::nanoseconds took);
};

class RunWatch {
 public:
  // Returns at once, the first look is still to come. `follows`: takes all looks and reads what is
  // appended; else the first look is all there is. `after_look` is called on its thread behind each
  // look, and must not throw. Throws if the system grants no thread.
  RunWatch(Workspace& workspace, bool follows, std::function<void()> after_look = {});
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

  // What is below the folders now; of several, the last one counts. Any thread.
  void Found(RunsLook look);

  // The first look is not done yet.
  [[nodiscard]] bool searching() const { return searching_; }

 private:
  void Watch(bool follows);
  // After the pause, or as soon as there is something to take. False: it is time to stop.
  [[nodiscard]] bool Wait(std::chrono::milliseconds pause, std::optional<RunsLook>& look);

  Workspace& workspace_;
  std::function<void()> after_look_;
  std::atomic<bool> searching_ = true;
  std::mutex mutex_;  // of what follows
  std::condition_variable woken_;
  bool stopping_ = false;
  std::optional<RunsLook> found_;  // not taken yet
  std::thread thread_;
};

}  // namespace telltale
