// SPDX-License-Identifier: Apache-2.0
#include "collect/region_position.h"

#include <charconv>
#include <system_error>

namespace telltale {

namespace {

constexpr std::string_view kPositionHead = "telltale region position 1";

[[nodiscard]] bool TakeNumber(std::string_view& line, uint64_t& number) {
  while (line.starts_with(' ')) line.remove_prefix(1);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  return true;
}

}  // namespace

std::string RegionPosition::Text() const {
  std::string text = std::string(kPositionHead) + '\n';
  for (const auto& [number, chunk] : chunks) {
    text += std::to_string(number) + ' ' + std::to_string(chunk.serial) + ' ' +
            std::to_string(chunk.consumed) + '\n';
  }
  return text;
}

Result<RegionPosition> RegionPosition::Parse(std::string_view text) {
  RegionPosition position;
  const std::string_view whole = text;
  bool is_head = true;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const auto offset = static_cast<uint64_t>(text.data() - whole.data());
    if (end == std::string_view::npos)
      return Fail(ErrorCode::kUnreadable, "a position of a region ends inside a line", offset);
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (is_head) {
      if (line != kPositionHead)
        return Fail(ErrorCode::kUnreadable, "no position of a region", offset);
      is_head = false;
      continue;
    }
    uint64_t number = 0;
    uint64_t serial = 0;
    uint64_t consumed = 0;
    if (!TakeNumber(line, number) || !TakeNumber(line, serial) || !TakeNumber(line, consumed) ||
        !line.empty() || number >= kMostChunks || consumed > UINT32_MAX) {
      return Fail(ErrorCode::kUnreadable,
                  "a line of a region's position is no chunk, serial and length", offset);
    }
    position.chunks[static_cast<uint32_t>(number)] = {serial, static_cast<uint32_t>(consumed)};
  }
  if (is_head) return Fail(ErrorCode::kUnreadable, "an empty position of a region");
  return position;
}

}  // namespace telltale
