// SPDX-License-Identifier: Apache-2.0
#include "cli/full_screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace telltale {

namespace {

// The other screen, no cursor, lines that are too long are cut.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) {
      pollfd ready{file, POLLOUT, 0};
      (void)::poll(&ready, 1, 1000);
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

FullScreen::FullScreen(int input, int output) : input_(input), output_(output) {
  termios settings{};
  if (::tcgetattr(input_, &settings) == 0) before_ = settings;
  Enter();
}

FullScreen::~FullScreen() { Leave(); }

void FullScreen::Enter() {
  if (is_entered_) return;
  is_entered_ = true;
  if (before_) {
    termios settings = *before_;
    // Ctrl-C and Ctrl-Z stay signals.
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    ::tcsetattr(input_, TCSANOW, &settings);
  }
  (void)WriteAll(output_, kEnter);
}

void FullScreen::Leave() {
  if (!is_entered_) return;
  is_entered_ = false;
  (void)WriteAll(output_, kLeave);
  // What was typed and not read is not for the shell.
  if (before_) ::tcsetattr(input_, TCSAFLUSH, &*before_);
}

FullScreen::Size FullScreen::size() const {
  winsize window{};
  Size size;
  if (::ioctl(output_, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
    size.columns = window.ws_col;
    size.lines = window.ws_row;
  }
  return size;
}

bool FullScreen::Draw(std::span<const std::string> lines) {
  // Begin at the top and clear what is left of each line behind its text: nothing is ever blank in
  // between. Terminals that know ?2026 show the frame at once.
  std::string frame = "\x1b[?2026h\x1b[H";
  for (size_t i = 0; i < lines.size(); ++i) {
    frame += lines[i];
    frame += "\x1b[0m\x1b[K";
    if (i + 1 < lines.size()) frame += "\r\n";
  }
  frame += "\x1b[J\x1b[?2026l";
  return WriteAll(output_, frame);
}

std::optional<char> FullScreen::Key() const {
  std::array<char, 64> keys{};
  const ssize_t got = ::read(input_, keys.data(), keys.size());
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return '\x04';
  if (got < 0 || keys[0] == '\x1b') return std::nullopt;
  return keys[0];
}

}  // namespace telltale
