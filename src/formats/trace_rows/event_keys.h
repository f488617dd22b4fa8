// SPDX-License-Identifier: Apache-2.0
// The fields of an event that are kept, under the names they have in Chrome's format.
#pragma once

#include <cstdint>
#include <string_view>

namespace telltale::trace_rows {

enum class EventKey : uint8_t { kPh, kCat, kName, kPid, kTid, kTs, kDur, kId, kArgs, kCount };

namespace internal {

// The names are at most four characters long: compared as numbers.
constexpr uint32_t Word(std::string_view text) {
  uint32_t word = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    word |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return word;
}

}  // namespace internal

// kCount if the key is not one of them.
[[nodiscard]] constexpr EventKey FindEventKey(std::string_view key) {
  using internal::Word;
  if (key.size() > 4) return EventKey::kCount;
  switch (Word(key)) {
    case Word("ph"):
      return EventKey::kPh;
    case Word("cat"):
      return EventKey::kCat;
    case Word("name"):
      return EventKey::kName;
    case Word("pid"):
      return EventKey::kPid;
    case Word("tid"):
      return EventKey::kTid;
    case Word("ts"):
      return EventKey::kTs;
    case Word("dur"):
      return EventKey::kDur;
    case Word("id"):
      return EventKey::kId;
    case Word("args"):
      return EventKey::kArgs;
    default:
      return EventKey::kCount;
  }
}

}  // namespace telltale::trace_rows
