// SPDX-License-Identifier: Apache-2.0
// Where the lines of a log begin, without holding them: the place, the times and the levels of
// every so many lines. Takes bytes as they come, in pieces of any size; grows at its end only. A
// log of any length costs at most a few megabytes: with too many blocks, two become one. Who owns
// it has the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/log_text.h"

namespace telltale {

class LogIndex {
 public:
  // Even, so that blocks are joined in pairs.
  static constexpr size_t kMostBlocks = size_t{1} << 16;
  static constexpr uint64_t kFirstStride = 256;
  // A line that is longer is known by itself, so that nobody reads through it.
  static constexpr uint64_t kLongLine = uint64_t{1} << 20;
  static constexpr size_t kMostLongLines = 4096;

  struct Block {
    uint64_t offset = 0;  // of its first line
    // Of its lines that have a time; earliest > latest: none has.
    int64_t earliest_ns = std::numeric_limits<int64_t>::max();
    int64_t latest_ns = std::numeric_limits<int64_t>::min();
    uint32_t warnings = 0;
    uint32_t errors = 0;
    [[nodiscard]] bool has_time() const { return earliest_ns <= latest_ns; }
  };
  struct LongLine {
    uint64_t line = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;  // without the end of the line
  };

  void Append(std::string_view bytes);

  // Bytes taken.
  [[nodiscard]] uint64_t position() const { return position_; }
  // Of finished lines, and of one that has no end yet.
  [[nodiscard]] uint64_t lines() const { return finished_ + (is_open() ? 1 : 0); }
  [[nodiscard]] uint64_t finished() const { return finished_; }
  // The last line has no end yet, and begins here.
  [[nodiscard]] bool is_open() const { return position_ > line_begin_; }
  [[nodiscard]] uint64_t line_begin() const { return line_begin_; }

  // Lines in a block; the last block may have fewer.
  [[nodiscard]] uint64_t stride() const { return stride_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] uint64_t LinesOf(size_t block) const;
  [[nodiscard]] const LongLine* LongLineAt(uint64_t line) const;

  [[nodiscard]] uint64_t timed_lines() const { return timed_lines_; }
  [[nodiscard]] uint64_t warnings() const { return warnings_; }
  [[nodiscard]] uint64_t errors() const { return errors_; }
  [[nodiscard]] std::optional<int64_t> first_time_ns() const;
  [[nodiscard]] std::optional<int64_t> last_time_ns() const;
  [[nodiscard]] size_t memory_bytes() const;

 private:
  void FinishLine();
  void JoinPairs();

  std::vector<Block> blocks_;
  std::vector<LongLine> long_lines_;  // by line
  uint64_t stride_ = kFirstStride;
  uint64_t position_ = 0;
  uint64_t finished_ = 0;
  uint64_t line_begin_ = 0;
  std::string head_;  // of the line that is read
  uint64_t timed_lines_ = 0;
  uint64_t warnings_ = 0;
  uint64_t errors_ = 0;
};

}  // namespace telltale
