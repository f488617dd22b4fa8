// SPDX-License-Identifier: Apache-2.0
// One JSON value as it stands in the text, found but not interpreted. With `kRepair`, quotes that
// torch forgot to escape are told from closing ones by what follows them.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/kineto_json/scan.h"
#include "formats/trace_rows/event_draft.h"

namespace telltale::kineto_json {

using trace_rows::Value;

// Repairs made while values were found.
struct Repairs {
  bool at_eof = false;  // given: no more text will come
  bool failed =
      false;  // a repair would have swallowed the next event: the text is bad, not incomplete
  uint32_t unescaped_quotes = 0;
  uint32_t bare_words = 0;
  uint32_t trailing_commas = 0;
};

enum class Place : uint8_t {
  kKey,
  kObjectValue,
  kTopValue,  // of the document's own object
};
enum class Closing : uint8_t {
  kYes,
  kNo,
  kUnknown
};  // kUnknown: the text ends before it is decided

// Is the quote before `p` the closing one of a string in this place?
[[nodiscard]] inline Closing ClosesString(const char* p, const char* end, Place place) {
  const auto yes_if = [](bool yes) { return yes ? Closing::kYes : Closing::kNo; };
  p = SkipSpace(p);
  if (p >= end) return Closing::kUnknown;
  if (place == Place::kKey) return yes_if(*p == ':');
  if (*p == '}') {
    p = SkipSpace(p + 1);
    if (p >= end) return Closing::kUnknown;
    const bool next_document = place == Place::kTopValue && (*p == '{' || *p == '[');
    return yes_if(*p == ',' || *p == '}' || *p == ']' || next_document);
  }
  // The comma before the next key may be missing there.
  const bool key_at_once = place == Place::kTopValue && *p == '"';
  if (*p != ',' && !key_at_once) return Closing::kNo;
  if (!key_at_once) p = SkipSpace(p + 1);
  if (p >= end) return Closing::kUnknown;
  if (*p != '"') return yes_if(*p == '}');
  bool escaped = false;
  const char* quote = FindQuote(p + 1, end, escaped);
  p = quote < end ? SkipSpace(quote + 1) : end;
  return p >= end ? Closing::kUnknown : yes_if(*p == ':');
}

// Does the text hold the end of one event and the start of another: } , { " ?
[[nodiscard]] inline bool HoldsEventBoundary(const char* p, const char* end) {
  for (; p < end; ++p) {
    if (*p != '}') continue;
    const char* next = SkipSpace(p + 1);
    if (next >= end || *next != ',') continue;
    next = SkipSpace(next + 1);
    if (next < end && *next == '{' && *SkipSpace(next + 1) == '"') return true;
  }
  return false;
}

// `p` stands on the opening quote. Returns the place past the closing one, or nullptr if the text
// ends.
template <bool kRepair>
[[nodiscard]] const char* ReadString(const char* p, const char* end, Place place, Value& value,
                                     Repairs& repairs) {
  value.kind = Value::Kind::kString;
  value.begin = ++p;
  value.escaped = false;
  for (;;) {
    const char* quote = FindQuote(p, end, value.escaped);
    if (quote >= end) return nullptr;
    if constexpr (kRepair) {
      const Closing closing = ClosesString(quote + 1, end, place);
      if (closing == Closing::kUnknown && !repairs.at_eof) return nullptr;
      if (closing == Closing::kNo) {
        if (HoldsEventBoundary(p, quote + 1)) {
          repairs.failed = true;
          return nullptr;
        }
        ++repairs.unescaped_quotes;
        p = quote + 1;
        continue;
      }
    }
    if constexpr (kRepair) {
      if (repairs.unescaped_quotes != 0 && HoldsEventBoundary(p, quote)) {
        repairs.failed = true;
        return nullptr;
      }
    }
    value.end = quote;
    return quote + 1;
  }
}

// `p` stands on the first character of the value. Returns the place past it, or nullptr if the text
// ends.
template <bool kRepair>
[[nodiscard]] const char* ReadValue(const char* p, const char* end, Value& value,
                                    Repairs& repairs) {
  const char c = *p;
  if (c == '"') return ReadString<kRepair>(p, end, Place::kObjectValue, value, repairs);
  value.begin = p;
  if (c == '{' || c == '[') {
    value.kind = Value::Kind::kContainer;
    p = SkipContainer(p, end);
    if (p == nullptr) return nullptr;
  } else {
    p = FindValueEnd(p, end);
    value.end = p;
    if (IsDigit(c) || (c == '-' && IsDigit(value.begin[1]))) {
      value.kind = Value::Kind::kNumber;
    } else if (const std::string_view word = value.text(); word == "null") {
      value.kind = Value::Kind::kNull;
    } else if (word == "true") {
      value.kind = Value::Kind::kTrue;
    } else if (word == "false") {
      value.kind = Value::Kind::kFalse;
    } else {
      value.kind = Value::Kind::kBare;
      ++repairs.bare_words;
    }
  }
  value.end = p;
  return p < end ? p : nullptr;  // a token that touches the end may go on there
}

}  // namespace telltale::kineto_json
