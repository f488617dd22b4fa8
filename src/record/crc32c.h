// SPDX-License-Identifier: Apache-2.0
// The checksum of event files, CRC32C, with the processor's instruction where it has it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace telltale::record {

uint32_t Crc32c(const void* bytes, size_t size);
// Without the instruction. For tests.
uint32_t Crc32cByTable(const void* bytes, size_t size);

// As it is stored: a checksum of bytes that hold checksums would else be weak.
inline uint32_t MaskedCrc32c(const void* bytes, size_t size) {
  const uint32_t crc = Crc32c(bytes, size);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

}  // namespace telltale::record
