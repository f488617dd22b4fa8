// SPDX-License-Identifier: Apache-2.0
// A page that fills the terminal: the other screen, keys as they are pressed, one write a frame.
// The terminal is as it was when the object is gone, and while the program is suspended.
#pragma once

#include <termios.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace telltale {

class FullScreen {
 public:
  // `input` and `output` are terminals.
  FullScreen(int input, int output);
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;
  ~FullScreen();

  struct Size {
    size_t columns = 80;
    size_t lines = 24;
  };
  [[nodiscard]] Size size() const;
  // False: the terminal is gone.
  [[nodiscard]] bool Draw(std::span<const std::string> lines);
  // A key that was pressed; nullopt: none, or one of several bytes (an arrow), which is dropped.
  // Does not wait. '\x04' when the terminal is gone.
  [[nodiscard]] std::optional<char> Key() const;
  // Gives the terminal back until Enter.
  void Leave();
  void Enter();

 private:
  int input_;
  int output_;
  bool is_entered_ = false;
  std::optional<termios> before_;
};

}  // namespace telltale
