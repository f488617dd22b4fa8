// SPDX-License-Identifier: Apache-2.0
#include "server/run_watch.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/thread_time.h"

namespace telltale {

namespace {

using std::chrono::milliseconds;

// A point that is appended is on the page within a second: half of it is left for the way there.
constexpr milliseconds kLeastPollPause(400);
constexpr milliseconds kLongestPollPause(10'000);
// At most about a fiftieth of a core, with the threads that help.
constexpr int kPauseRatio = 100;

}  // namespace

milliseconds WatchPauses::AfterPoll(std::chrono::nanoseconds took) {
  return std::clamp(std::chrono::duration_cast<milliseconds>(took * kPauseRatio), kLeastPollPause,
                    kLongestPollPause);
}

RunWatch::RunWatch(Workspace& workspace, bool follows, std::function<void()> after_look)
    : workspace_(workspace),
      after_look_(std::move(after_look)),
      thread_([this, follows] { Watch(follows); }) {}

RunWatch::~RunWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  woken_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RunWatch::Found(RunsLook look) {
  {
    const std::lock_guard lock(mutex_);
    found_ = std::move(look);
  }
  woken_.notify_all();
}

bool RunWatch::Wait(milliseconds pause, std::optional<RunsLook>& look) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return stopping_ || found_; };
  if (searching_) {
    woken_.wait(lock, has_work);
  } else {
    woken_.wait_for(lock, pause, has_work);
  }
  look = std::exchange(found_, std::nullopt);
  return !stopping_;
}

void RunWatch::Watch(bool follows) {
  milliseconds pause = kLeastPollPause;
  std::optional<RunsLook> look;
  while (Wait(pause, look)) {
    const std::chrono::nanoseconds before = ThreadTime();
    const bool is_whole = look.has_value();
    bool taken = false;
    try {
      is_whole ? workspace_.Take(*look) : workspace_.Poll();
      taken = true;
    } catch (const std::exception&) {
      taken = false;  // no memory for it, as a rule: the next look may have more
    }
    if (taken && is_whole) searching_ = false;
    if (after_look_) after_look_();
    pause = is_whole ? kLeastPollPause : WatchPauses::AfterPoll(ThreadTime() - before);
    if (!follows && !searching_) return;
  }
}

}  // namespace telltale
