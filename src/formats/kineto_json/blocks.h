// SPDX-License-Identifier: Apache-2.0
// Cuts the decoded text into blocks that most likely begin at an event, so that they can be parsed
// at the same time. The guess may be wrong: whoever joins the blocks checks it. One thread at a
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "formats/kineto_json/document.h"
#include "io/byte_source.h"

namespace telltale::kineto_json {

// A buffer with room for `capacity` bytes and the padding behind them.
class PaddedBuffer {
 public:
  void Reserve(size_t capacity);
  // Sets the size and writes the padding.
  void Resize(size_t size);
  void Append(const char* data, size_t size);
  // Forgets the first `count` bytes.
  void DropFront(size_t count);

  [[nodiscard]] char* data() { return data_.get(); }
  [[nodiscard]] const char* data() const { return data_.get(); }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t capacity() const { return capacity_; }

 private:
  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

struct Block {
  PaddedBuffer buffer;
  uint64_t offset = 0;  // of the first byte in the decoded text
  bool last = false;

  [[nodiscard]] PaddedText text() const {
    return {buffer.data(), buffer.data() + buffer.size(), offset};
  }
};

class BlockReader {
 public:
  BlockReader(ByteSource& source, size_t block_bytes)
      : source_(source), block_bytes_(block_bytes) {}

  // Fills `block` (whose buffer is reused). After the block marked `last` there are no more.
  [[nodiscard]] Result<void> Next(Block& block);

 private:
  ByteSource& source_;
  size_t block_bytes_;
  uint64_t offset_ = 0;
  std::vector<char> tail_;  // begins the next block
};

}  // namespace telltale::kineto_json
