// SPDX-License-Identifier: Apache-2.0
// The frame of TFRecord files, without what is in the records:
//
//   8 bytes  length L of the payload         all numbers little-endian; no header before the first
//   4 bytes  masked CRC32C of those eight    record, no mark behind the last one
//   L bytes  payload
//   4 bytes  masked CRC32C of the payload
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/crc32c.h"

namespace telltale::tfevents {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kFrameBytes = 16;  // header and the checksum behind the payload
// No message of protocol buffers is larger: a length beyond it is damage even if its checksum fits.
constexpr uint64_t kMostPayloadBytes = (uint64_t{1} << 31) - 1;

// Rotated and moved, so that the checksum of bytes that hold checksums is no fixed point.
[[nodiscard]] inline uint32_t MaskedCrc(std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

[[nodiscard]] inline uint32_t LoadU32(const char* at) {
  uint32_t number = 0;
  std::memcpy(&number, at, 4);
  return number;
}

// The length that a header says; nothing: these twelve bytes are none.
[[nodiscard]] inline std::optional<uint64_t> ReadHeader(const char* at) {
  uint64_t length = 0;
  std::memcpy(&length, at, 8);
  if (length > kMostPayloadBytes || MaskedCrc({at, 8}) != LoadU32(at + 8)) return std::nullopt;
  return length;
}

// Whether the checksum behind the payload, of which all bytes are there, is its own.
[[nodiscard]] inline bool PayloadIsSound(const char* payload, size_t length) {
  return MaskedCrc({payload, length}) == LoadU32(payload + length);
}

// The first place at or behind `from` where a header is; npos: there is none. That chance makes one
// of other bytes is as likely as 1 in 2^64 for each byte.
[[nodiscard]] size_t FindHeader(std::string_view bytes, size_t from);
// Likewise, of a record that is there as a whole, with its payload as it was written.
[[nodiscard]] size_t FindSoundRecord(std::string_view bytes, size_t from);

}  // namespace telltale::tfevents
