// SPDX-License-Identifier: Apache-2.0
// Cuts a file of records into blocks of whole ones by walking their headers, which is cheap, so
// that the payloads can be looked at elsewhere, several blocks at a time. Where no record begins it
// looks for the next one. What it finds does not depend on the size of blocks or reads. One thread
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

namespace telltale::tfevents {

struct RecordBlock {
  std::vector<char> bytes;
  size_t size = 0;  // the records; what is behind them in `bytes` belongs to later blocks
  uint64_t offset = 0;

  [[nodiscard]] std::string_view records() const { return {bytes.data(), size}; }
};

// Bytes that belong to no record, between two records or before the first.
struct Gap {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool all_zero = false;
};

// What is behind the last record.
enum class Rest : uint8_t {
  kNothing,
  kCut,        // a record that is not whole, as far as one can tell
  kBadRecord,  // a whole one at the very end whose checksum is wrong: half-written files look so
  kNoRecord,   // something that is none, and no record behind it
};

class RecordCutter {
 public:
  // `source` begins at `offset` of the file.
  RecordCutter(ByteSource& source, uint64_t offset, size_t block_bytes);

  // False: there are no more. `block` may be used again.
  [[nodiscard]] Result<bool> Next(RecordBlock& block);

  [[nodiscard]] const std::vector<Gap>& gaps() const { return gaps_; }
  // At the end: of the first byte that is in no record that was given out, and in no gap.
  [[nodiscard]] uint64_t position() const { return searching_ ? search_.offset : offset_; }
  [[nodiscard]] Rest rest() const { return rest_; }
  [[nodiscard]] uint64_t rest_bytes() const { return offset_ + held() - position(); }
  // Whether all bytes of the rest are 0; of kNoRecord.
  [[nodiscard]] bool rest_is_zero() const { return search_.all_zero; }
  // How far the file was read.
  [[nodiscard]] uint64_t end() const { return offset_ + held(); }

 private:
  [[nodiscard]] size_t held() const { return end_ - begin_; }
  [[nodiscard]] std::string_view window() const { return {buffer_.data() + begin_, held()}; }
  [[nodiscard]] Result<void> Fill(size_t wanted);
  void Drop(size_t count);
  // Passes over bytes that are in no record; true: the window begins with a header.
  bool Search();
  void EndSearch();
  // Bytes of whole records at the front of the window that may be given out.
  [[nodiscard]] size_t Walk();

  ByteSource& source_;
  size_t block_bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_;    // of the window
  size_t needed_ = 0;  // bytes of the window without which nothing can be said
  bool ended_ = false;
  bool done_ = false;
  bool searching_ = false;
  Gap search_;  // while searching_
  std::vector<Gap> gaps_;
  Rest rest_ = Rest::kNothing;
};

}  // namespace telltale::tfevents
