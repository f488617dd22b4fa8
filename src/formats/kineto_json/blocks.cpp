// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace telltale::kineto_json {

void PaddedBuffer::Reserve(size_t capacity) {
  if (capacity <= capacity_ && data_ != nullptr) return;
  auto data = std::make_unique_for_overwrite<char[]>(capacity + kPadding);
  if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
  data_ = std::move(data);
  capacity_ = capacity;
}

void PaddedBuffer::Resize(size_t size) {
  Reserve(size);
  size_ = size;
  std::memset(data_.get() + size, kPad, kPadding);
}

void PaddedBuffer::Append(const char* data, size_t size) {
  if (size_ + size > capacity_) Reserve(std::max(size_ + size, capacity_ + capacity_ / 2));
  if (size > 0) std::memcpy(data_.get() + size_, data, size);
  Resize(size_ + size);
}

void PaddedBuffer::DropFront(size_t count) {
  if (count == 0) return;
  std::memmove(data_.get(), data_.get() + count, size_ - count);
  Resize(size_ - count);
}

Result<void> BlockReader::Next(Block& block) {
  block.buffer.Reserve(std::max(block_bytes_, tail_.size() + 1));
  size_t size = tail_.size();
  if (size > 0) std::memcpy(block.buffer.data(), tail_.data(), size);
  tail_.clear();
  block.offset = offset_;
  block.last = false;
  while (size < block.buffer.capacity()) {
    const Result<size_t> got =
        source_.Read(block.buffer.data() + size, block.buffer.capacity() - size);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) {
      block.last = true;
      break;
    }
    size += *got;
  }
  if (!block.last) {
    const char* begin = block.buffer.data();
    const char* cut = FindLastElementStart(begin, begin + size);
    if (cut != nullptr) {
      const auto used = static_cast<size_t>(cut - begin);
      tail_.assign(cut, begin + size);
      size = used;
    }
  }
  block.buffer.Resize(size);
  offset_ += size;
  return {};
}

}  // namespace telltale::kineto_json
