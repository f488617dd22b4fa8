// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace telltale {

namespace {

// The only global state: a handler has no other way to know.
volatile std::sig_atomic_t progress_line_visible = 0;
volatile std::sig_atomic_t output_is_terminal = 0;

void Write(int file_descriptor, std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(file_descriptor, text.data(), text.size());
}

void Stop(int signal) {
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
  for (const int signal : {SIGINT, SIGTERM}) {
    // A job started with the signal ignored (nohup, a shell's background) stays that way.
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

void MarkProgressLine(bool visible) { progress_line_visible = visible ? 1 : 0; }

}  // namespace telltale
