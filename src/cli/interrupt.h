// SPDX-License-Identifier: Apache-2.0
// Ctrl-C stops at once, whatever the program is doing, and leaves the terminal clean and no file
// that is half written. Nothing else that a command does needs to be undone.
#pragma once

#include <signal.h>

#include <cstddef>
#include <string_view>

namespace telltale {

constexpr int kExitInterrupted = 130;

// SIGINT, SIGTERM and SIGHUP erase the progress line and the unfinished files, if there are any,
// and end the process with 128 + signal. SIGPIPE is left to the system: who pipes into head sees no
// complaint. SIGXFSZ does nothing: a file beyond the limit is a failed write, with a message.
void InstallInterruptHandlers();

// A file that the handlers remove. For the main thread; there are two of them at most.
class RemovedOnInterrupt {
 public:
  RemovedOnInterrupt();
  RemovedOnInterrupt(const RemovedOnInterrupt&) = delete;
  RemovedOnInterrupt& operator=(const RemovedOnInterrupt&) = delete;
  ~RemovedOnInterrupt();
  // Empty: none any more.
  void Set(std::string_view path);

 private:
  size_t slot_;
};

// Holds the signals back while it lives: between making a file and saying that it is to be removed.
class HoldInterrupts {
 public:
  HoldInterrupts();
  HoldInterrupts(const HoldInterrupts&) = delete;
  HoldInterrupts& operator=(const HoldInterrupts&) = delete;
  ~HoldInterrupts();

 private:
  sigset_t before_;
};

// Whether a progress line is on the terminal. Kept where a signal handler may read it.
void MarkProgressLine(bool visible);

}  // namespace telltale
