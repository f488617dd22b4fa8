// SPDX-License-Identifier: Apache-2.0
#include "formats/pprof/wire.h"

#include <algorithm>

namespace telltale::pprof {

std::optional<uint64_t> TakeVarint(std::string_view& bytes) {
  constexpr size_t kMaxBytes = 10;
  uint64_t value = 0;
  const size_t size = std::min(bytes.size(), kMaxBytes);
  for (size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<Field> Message::Next() {
  if (rest_.empty() || broken_) return std::nullopt;
  const auto fail = [this]() -> std::optional<Field> {
    broken_ = true;
    return std::nullopt;
  };
  const auto key = TakeVarint(rest_);
  if (!key || *key >> 3 == 0 || *key >> 3 > 0x1fffffff) return fail();
  Field field;
  field.number = static_cast<uint32_t>(*key >> 3);
  const auto fixed = [&](size_t size) {
    if (rest_.size() < size) return false;
    for (size_t i = size; i-- > 0;) {
      field.value = field.value << 8 | static_cast<unsigned char>(rest_[i]);
    }
    rest_.remove_prefix(size);
    return true;
  };
  switch (*key & 7) {
    case 0: {
      const auto value = TakeVarint(rest_);
      if (!value) return fail();
      field.value = *value;
      return field;
    }
    case 1:
      if (!fixed(8)) return fail();
      return field;
    case 2: {
      const auto size = TakeVarint(rest_);
      if (!size || *size > rest_.size()) return fail();
      field.is_bytes = true;
      field.bytes = rest_.substr(0, *size);
      rest_.remove_prefix(*size);
      return field;
    }
    case 5:
      if (!fixed(4)) return fail();
      return field;
    default:
      return fail();
  }
}

}  // namespace telltale::pprof
