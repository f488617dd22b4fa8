// SPDX-License-Identifier: Apache-2.0
// A window over a source for readers that go from front to back once: shows the bytes at hand,
// brings more, and forgets what was taken. Holds one block, or one token where that is larger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/read_options.h"
#include "io/byte_source.h"
#include "model/function_profile.h"

namespace telltale {

class BufferedInput {
 public:
  BufferedInput(ByteSource& source, const ReadOptions& options);

  // What is at hand and not yet taken.
  [[nodiscard]] std::string_view rest() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Of the first byte of rest().
  [[nodiscard]] uint64_t offset() const { return offset_; }
  void Take(size_t count) {
    begin_ += count;
    offset_ += count;
  }
  // Makes rest() longer; views into it become invalid. False: at the end, stopped, or full().
  [[nodiscard]] bool More();
  // Passes over all that is left: a reader that stopped at damage has still seen the whole file.
  void Drain() {
    do Take(end_ - begin_);
    while (More());
  }
  // rest() is as long as one value may be (ReadOptions::max_value_bytes).
  [[nodiscard]] bool full() const { return end_ - begin_ >= max_bytes_; }
  // Set when the source failed or the user asked to stop.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  ByteSource& source_;
  const ReadOptions& options_;
  size_t max_bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
};

// The next line without its end (\n or \r\n), or nothing at the end. A line that is longer than one
// value may be is passed over, bytes that are not UTF-8 are replaced; both are counted.
class LineReader {
 public:
  LineReader(ByteSource& source, const ReadOptions& options) : input_(source, options) {}
  // Valid until the next call.
  [[nodiscard]] std::optional<std::string_view> Next();
  // Of the line that Next() returned.
  [[nodiscard]] uint64_t offset() const { return offset_; }
  // The line that Next() returned has no line end: the file may have been cut in it.
  [[nodiscard]] bool unfinished() const { return unfinished_; }
  [[nodiscard]] const std::optional<Error>& error() const { return input_.error(); }
  // At the end: sizes, compression and damage go to the profile.
  void Describe(const ByteSource& source, FunctionProfile& profile);

 private:
  [[nodiscard]] std::string_view Clean(std::string_view line);

  BufferedInput input_;
  std::string clean_;
  Diagnostics diagnostics_;
  size_t taken_ = 0;  // of the line before
  uint64_t offset_ = 0;
  bool unfinished_ = false;
};

// What every reader says at its end: sizes, compression, and damage of the compressed stream. Reads
// what is left.
void DescribeInput(const ByteSource& source, BufferedInput& input, ProfileSource& described,
                   Diagnostics& diagnostics);
void DescribeInput(const ByteSource& source, BufferedInput& input, FunctionProfile& profile);

// a + b, or the nearest that fits.
[[nodiscard]] inline int64_t AddSaturated(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace telltale
