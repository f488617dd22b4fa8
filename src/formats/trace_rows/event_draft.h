// SPDX-License-Identifier: Apache-2.0
// One event of a trace on its way from a file to rows: what its format said, each value in the type
// it has there. Numbers of binary formats are numbers; those of JSON are decimal text, which is
// read only when a column asks for it: nearly all of a reader's time would go into numbers nobody
// wants.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "formats/trace_rows/arg_keys.h"
#include "formats/trace_rows/event_keys.h"

namespace telltale::trace_rows {

// Texts point into the file's, or to what the reader keeps until the rows are made.
struct Value {
  enum class Kind : uint8_t {
    kMissing,
    kString,     // between the quotes of a JSON string, escapes and all
    kNumber,     // decimal text
    kContainer,  // JSON text of a list or an object
    kTrue,
    kFalse,
    kNull,
    kBare,      // a word that JSON does not know
    kInteger,   // times: nanoseconds, within 62 bits
    kReal,      // for arguments that are IsReal, and for series
    kInterned,  // a text that RowBuilder::Intern took
  };
  Kind kind = Kind::kMissing;
  bool escaped = false;  // a string with backslashes
  const char* begin = nullptr;
  const char* end = nullptr;
  union {
    int64_t integer = 0;
    double real;
    StringId interned;
  };
  [[nodiscard]] std::string_view text() const { return {begin, static_cast<size_t>(end - begin)}; }

  [[nodiscard]] static Value Integer(int64_t number) {
    Value value;
    value.kind = Kind::kInteger;
    value.integer = number;
    return value;
  }
  [[nodiscard]] static Value Real(double number) {
    Value value;
    value.kind = Kind::kReal;
    value.real = number;
    return value;
  }
  [[nodiscard]] static Value Interned(StringId text) {
    Value value;
    value.kind = Kind::kInterned;
    value.interned = text;
    return value;
  }
  // Of a sound JSON value, which tells what it is by its first character.
  [[nodiscard]] static Value Json(std::string_view json) {
    Value value;
    value.begin = json.data();
    value.end = json.data() + json.size();
    switch (json.front()) {
      case '"':
        value.kind = Kind::kString;
        ++value.begin;
        --value.end;
        break;
      case '[':
      case '{':
        value.kind = Kind::kContainer;
        break;
      case 't':
        value.kind = Kind::kTrue;
        break;
      case 'f':
        value.kind = Kind::kFalse;
        break;
      case 'n':
        value.kind = Kind::kNull;
        break;
      default:
        value.kind = Kind::kNumber;
    }
    return value;
  }
};

struct EventDraft {
  // A counter's value. Every argument of a counter is a series of its own.
  struct Series {
    Value name;
    Value value;
  };

  std::array<Value, static_cast<size_t>(EventKey::kCount)> fields;
  std::array<Value, static_cast<size_t>(ArgKey::kCount)> args;
  uint32_t fields_present = 0;  // a bit for each
  uint64_t args_present = 0;
  std::vector<Series> series;

  void Clear() {
    fields_present = 0;
    args_present = 0;
    series.clear();
  }
  void Set(EventKey key, const Value& value) {
    fields[static_cast<size_t>(key)] = value;
    fields_present |= uint32_t{1} << static_cast<unsigned>(key);
  }
  void Set(ArgKey key, const Value& value) {
    args[static_cast<size_t>(key)] = value;
    args_present |= uint64_t{1} << static_cast<unsigned>(key);
  }
  // Missing where the event has none.
  [[nodiscard]] const Value& operator[](EventKey key) const {
    const auto i = static_cast<unsigned>(key);
    return (fields_present >> i & 1) != 0 ? fields[i] : kMissing;
  }
  [[nodiscard]] const Value& operator[](ArgKey key) const {
    return Has(key) ? args[static_cast<size_t>(key)] : kMissing;
  }
  [[nodiscard]] bool Has(ArgKey key) const {
    return (args_present >> static_cast<unsigned>(key) & 1) != 0;
  }

 private:
  static constexpr Value kMissing = {};
};

}  // namespace telltale::trace_rows
