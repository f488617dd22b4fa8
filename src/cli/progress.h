// SPDX-License-Identifier: Apache-2.0
// Honest progress on standard error for what takes longer than a second: on a terminal one line,
// redrawn at most ten times a second and erased at the end, with bytes, rate and time left;
// elsewhere one line per 10 %. Time and output are handed in, so tests need no clock and no
// terminal.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace telltale {

struct ProgressPlace {
  bool is_terminal = false;
  bool quiet = false;
  bool unicode = true;
  size_t width = 80;
  std::function<int64_t()> now_ns;              // monotonic
  std::function<void(std::string_view)> write;  // to standard error
};

// A monotonic clock and standard error.
[[nodiscard]] ProgressPlace StandardErrorPlace(bool quiet);

class Progress {
 public:
  explicit Progress(ProgressPlace place);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Finish(); }

  // Bytes read so far, and of how many (0: not known). From any thread.
  void Update(uint64_t done_bytes, uint64_t total_bytes);
  // What is going on now that has no bytes to count; only shown on a terminal.
  void Note(std::string_view what);
  // Erases the line. Nothing is drawn afterwards.
  void Finish();
  [[nodiscard]] bool quiet() const { return place_.quiet; }

 private:
  void Draw(std::string_view line);

  ProgressPlace place_;
  std::mutex mutex_;
  int64_t started_ns_ = 0;
  int64_t drawn_ns_ = INT64_MIN;
  uint64_t next_tenth_ = 1;
  bool line_visible_ = false;
  bool finished_ = false;
};

}  // namespace telltale
