// SPDX-License-Identifier: Apache-2.0
// How far a region was read, as a text that outlives its reader.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

// More chunks than this are no writer's: 16 GiB of them.
constexpr uint32_t kMostChunks = 1 << 18;

// Bytes of each chunk that is not released.
struct RegionPosition {
  struct Chunk {
    uint64_t serial = 0;
    uint32_t consumed = 0;
    friend bool operator==(const Chunk&, const Chunk&) = default;
  };
  std::map<uint32_t, Chunk> chunks;  // by number

  // A line for each chunk: number, serial, bytes.
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] static Result<RegionPosition> Parse(std::string_view text);
  friend bool operator==(const RegionPosition&, const RegionPosition&) = default;
};

}  // namespace telltale
