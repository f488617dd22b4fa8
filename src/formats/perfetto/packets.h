// SPDX-License-Identifier: Apache-2.0
// The packets of a Perfetto trace, one after the other, from a stream of bytes. Holds one packet at
// a time; what a packet claims to be long is believed only as far as bytes come.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"

namespace telltale::perfetto {

struct Packet {
  std::string_view bytes;  // valid until the next one is asked for
  uint64_t offset = 0;     // of its first byte (the tag) in the stream
};

class PacketStream {
 public:
  // What is wrong goes to `diagnostics`, with `base_offset` in place of offsets of the stream where
  // given (packets inside a packet).
  PacketStream(ByteSource& source, Diagnostics& diagnostics, size_t max_packet_bytes,
               std::optional<uint64_t> base_offset = std::nullopt)
      : source_(source),
        diagnostics_(diagnostics),
        max_packet_bytes_(max_packet_bytes),
        base_offset_(base_offset) {}

  // nullopt at the end. Other top-level fields are passed over.
  [[nodiscard]] Result<std::optional<Packet>> Next();

  [[nodiscard]] uint64_t bytes_read() const { return offset_ + buffered(); }

 private:
  [[nodiscard]] size_t buffered() const { return end_ - begin_; }
  [[nodiscard]] std::string_view Buffered() const { return {buffer_.data() + begin_, buffered()}; }
  [[nodiscard]] uint64_t Shown(uint64_t offset) const { return base_offset_.value_or(offset); }
  // Tries to have `count` bytes; false if the stream ends before.
  Result<bool> Fill(size_t count);
  void Take(size_t count) {
    begin_ += count;
    offset_ += count;
  }
  Result<bool> PassOver(uint64_t count);

  ByteSource& source_;
  Diagnostics& diagnostics_;
  size_t max_packet_bytes_;
  std::optional<uint64_t> base_offset_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;  // of buffer_[begin_]
  bool done_ = false;
};

}  // namespace telltale::perfetto
