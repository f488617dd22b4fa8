// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <climits>
#include <csignal>

namespace telltale {

namespace {

constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP};

struct UnfinishedPath {
  bool used = false;                   // by a RemovedOnInterrupt; the main thread's
  std::atomic<bool> has_path = false;  // `path` is whole and stays so
  std::array<char, PATH_MAX> path{};
};

// The only global state: a handler has no other way to know.
volatile std::sig_atomic_t progress_line_visible = 0;
volatile std::sig_atomic_t output_is_terminal = 0;
std::array<UnfinishedPath, 2> unfinished_paths;
static_assert(std::atomic<bool>::is_always_lock_free);

void Write(int file_descriptor, std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(file_descriptor, text.data(), text.size());
}

void Stop(int signal) {
  for (const UnfinishedPath& unfinished : unfinished_paths) {
    if (unfinished.has_path) ::unlink(unfinished.path.data());
  }
  if (progress_line_visible != 0) Write(STDERR_FILENO, "\r\x1b[K");
  // A colour may have been on.
  if (output_is_terminal != 0) Write(STDOUT_FILENO, "\x1b[0m");
  ::_exit(128 + signal);
}

}  // namespace

void InstallInterruptHandlers() {
  output_is_terminal = ::isatty(STDOUT_FILENO);
  struct sigaction action = {};
  action.sa_handler = Stop;
  sigemptyset(&action.sa_mask);
  // A handler, not SIG_IGN: programs started from here do not inherit it.
  struct sigaction nothing = {};
  nothing.sa_handler = [](int) {};
  sigemptyset(&nothing.sa_mask);
  ::sigaction(SIGXFSZ, &nothing, nullptr);
  for (const int signal : kInterrupts) {
    // A job started with the signal ignored (nohup, a shell's background) stays that way.
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

RemovedOnInterrupt::RemovedOnInterrupt() : slot_(0) {
  while (slot_ < unfinished_paths.size() && unfinished_paths[slot_].used) ++slot_;
  assert(slot_ < unfinished_paths.size());
  unfinished_paths[slot_].used = true;
}

RemovedOnInterrupt::~RemovedOnInterrupt() {
  Set({});
  unfinished_paths[slot_].used = false;
}

void RemovedOnInterrupt::Set(std::string_view path) {
  UnfinishedPath& unfinished = unfinished_paths[slot_];
  unfinished.has_path = false;
  if (path.empty() || path.size() >= unfinished.path.size()) return;
  *std::copy(path.begin(), path.end(), unfinished.path.begin()) = '\0';
  unfinished.has_path = true;
}

HoldInterrupts::HoldInterrupts() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kInterrupts) sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HoldInterrupts::~HoldInterrupts() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void MarkProgressLine(bool visible) { progress_line_visible = visible ? 1 : 0; }

}  // namespace telltale
