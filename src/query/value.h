// SPDX-License-Identifier: Apache-2.0
// One value of a table as SQL sees it. Text is borrowed: it lives in a string pool for as long as
// the query runs, so handing it to SQLite copies nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/string_pool.h"
#include "model/profile_source.h"

namespace telltale {

struct Value {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText };

  Kind kind = Kind::kNull;
  uint32_t text_id = 0;  // of texts that have one: the StringId in the pool they come from
  union {
    int64_t integer = 0;
    double real;
    struct {
      const char* data;
      size_t size;
    } text;
  };

  [[nodiscard]] std::string_view Text() const { return {text.data, text.size}; }

  static Value Null() { return {}; }
  static Value Integer(int64_t value) {
    Value out;
    out.kind = Kind::kInteger;
    out.integer = value;
    return out;
  }
  // kNoInt and kNoUint are NULL. SQL's integers are signed: what is above 2^63 wraps around.
  static Value Captured(int64_t value) { return value == kNoInt ? Null() : Integer(value); }
  static Value Captured(uint64_t value) {
    return value == kNoUint ? Null() : Integer(static_cast<int64_t>(value));
  }
  // Negative values are NULL, as in the columns of traces.
  static Value CapturedReal(double value) { return value < 0 ? Null() : Real(value); }
  static Value Real(double value) {
    Value out;
    if (value != value) return out;  // SQL has no NaN
    out.kind = Kind::kReal;
    out.real = value == 0 ? 0 : value;  // one zero, not two
    return out;
  }
  static Value Text(std::string_view value, StringId id = kNoString) {
    Value out;
    out.kind = Kind::kText;
    out.text_id = static_cast<uint32_t>(id);
    // SQLite takes a null pointer for NULL.
    out.text = {value.data() == nullptr ? "" : value.data(), value.size()};
    return out;
  }
};

// An integer that orders as the double does. Never INT64_MIN, which stands for NULL.
[[nodiscard]] inline int64_t OrderedBits(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits >= 0 ? bits : INT64_MIN - bits;
}

}  // namespace telltale
