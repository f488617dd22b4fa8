// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/packets.h"

#include <algorithm>
#include <cstring>

#include "base/protobuf.h"
#include "formats/perfetto/fields.h"

namespace telltale::perfetto {

namespace {

constexpr size_t kChunk = size_t{256} << 10;
constexpr size_t kMaxHead = 20;  // two varints

}  // namespace

Result<bool> PacketStream::Fill(size_t count) {
  while (buffered() < count) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
      end_ -= begin_;
      begin_ = 0;
    }
    // Grows with what is there, not with what is promised.
    if (end_ == buffer_.size()) buffer_.resize(std::max(kChunk, buffer_.size() * 2));
    const Result<size_t> got = source_.Read(buffer_.data() + end_, buffer_.size() - end_);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) return false;
    end_ += *got;
  }
  return true;
}

Result<bool> PacketStream::PassOver(uint64_t count) {
  while (count > 0) {
    if (buffered() == 0) {
      const Result<bool> more = Fill(1);
      if (!more) return tl::unexpected(more.error());
      if (!*more) return false;
    }
    const size_t now = static_cast<size_t>(std::min<uint64_t>(count, buffered()));
    Take(now);
    count -= now;
  }
  return true;
}

Result<std::optional<Packet>> PacketStream::Next() {
  const auto truncated = [&](uint64_t offset) {
    diagnostics_.Add(DiagnosticKind::kTruncated, Shown(offset));
    done_ = true;
    return std::optional<Packet>();
  };
  // The rest is passed over, so that the size that was read does not depend on the buffer.
  const auto damaged = [&](uint64_t offset) -> Result<std::optional<Packet>> {
    diagnostics_.AddWithDetail(DiagnosticKind::kSkippedText, Shown(offset),
                               "bytes that are no packets of a trace; all after them is left out");
    done_ = true;
    const Result<bool> passed = PassOver(UINT64_MAX);
    if (!passed) return tl::unexpected<Error>(passed.error());
    return std::optional<Packet>();
  };
  while (!done_) {
    const Result<bool> head = Fill(kMaxHead);
    if (!head) return tl::unexpected<Error>(head.error());
    if (buffered() == 0) break;
    const uint64_t start = offset_;
    uint64_t tag = 0;
    const int tag_length = ReadVarint(Buffered(), tag);
    if (tag_length == 0) return truncated(start);
    const uint64_t number = tag >> 3;
    if (tag_length < 0 || number == 0 || number > 0x1fffffff) return damaged(start);
    std::string_view rest = Buffered().substr(static_cast<size_t>(tag_length));
    uint64_t size = 0;
    size_t head_bytes = static_cast<size_t>(tag_length);
    switch (tag & 7) {
      case 0: {
        const int length = ReadVarint(rest, size);
        if (length == 0) return truncated(start);
        if (length < 0) return damaged(start);
        Take(head_bytes + static_cast<size_t>(length));
        continue;
      }
      case 1:
      case 5:
        size = (tag & 7) == 1 ? 8 : 4;
        break;
      case 2: {
        const int length = ReadVarint(rest, size);
        if (length == 0) return truncated(start);
        if (length < 0 || size > (uint64_t{1} << 62)) return damaged(start);
        head_bytes += static_cast<size_t>(length);
        break;
      }
      default:
        return damaged(start);
    }
    if (tag != (uint64_t{trace::kPacket} << 3 | 2) || size > max_packet_bytes_) {
      if (number == trace::kPacket && (tag & 7) == 2) {
        diagnostics_.Add(DiagnosticKind::kOversizedValue, Shown(start));
      }
      Take(head_bytes);
      const Result<bool> whole = PassOver(size);
      if (!whole) return tl::unexpected<Error>(whole.error());
      if (!*whole) return truncated(start);
      continue;
    }
    const Result<bool> whole = Fill(head_bytes + static_cast<size_t>(size));
    if (!whole) return tl::unexpected<Error>(whole.error());
    if (!*whole) return truncated(start);
    Packet packet{Buffered().substr(head_bytes, static_cast<size_t>(size)), Shown(start)};
    Take(head_bytes + static_cast<size_t>(size));
    return std::optional<Packet>(packet);
  }
  return std::optional<Packet>();
}

}  // namespace telltale::perfetto
