// SPDX-License-Identifier: Apache-2.0
// CRC32C (Castagnoli: reflected 0x82F63B78, begins and ends with all bits flipped), the checksum of
// TFRecord files and of others. With the processor's own instruction where it has it.
#pragma once

#include <cstdint>
#include <string_view>

namespace telltale {

// `before`: the checksum of what came before these bytes.
[[nodiscard]] uint32_t Crc32c(std::string_view bytes, uint32_t before = 0);
// The same, without the instruction. For tests.
[[nodiscard]] uint32_t Crc32cByTable(std::string_view bytes, uint32_t before = 0);

}  // namespace telltale
