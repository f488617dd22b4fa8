// SPDX-License-Identifier: Apache-2.0
// What a program prints, as lines of a log: each with the time at which it was finished, so that
// times never fall. Of a line that was rewritten (carriage return, backspace, erasing) only what it
// finally shows is kept; colours and other sequences stay in it. Bytes in, bytes out: knows neither
// files nor clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

class LineFolder {
 public:
  // Appends the lines that `bytes` finish to `out`: "2026-11-15T20:45:01.123Z TEXT\n".
  void Add(std::string_view bytes, int64_t wall_ns, std::string& out);
  // The line that nothing finished, if there is one.
  void Finish(int64_t wall_ns, std::string& out);

  // A line without end is cut here, so that no program makes us hold more.
  static constexpr size_t kMostBytes = size_t{1} << 20;

 private:
  // A place of the line: one character with the sequences in front of it.
  struct Cell {
    std::string bytes;
  };

  void Take(std::string_view piece);
  void TakePlain(std::string_view text);
  void TakeSequence();
  void Put(std::string_view character);
  void Expand();
  void End(int64_t wall_ns, std::string& out);

  // A line that nothing rewrites, as most are, is plain_; else all of it is in cells_.
  std::string plain_;
  bool has_cells_ = false;
  std::vector<Cell> cells_;
  size_t column_ = 0;
  size_t bytes_ = 0;         // of the line, with what was overwritten
  std::string pending_;      // sequences before the next character
  std::string sequence_;     // one that has begun: ESC …
  std::string character_;    // UTF-8 that has begun
  bool has_return_ = false;  // the last byte was a carriage return
};

}  // namespace telltale
