// SPDX-License-Identifier: Apache-2.0
#include "formats/event_text.h"

#include <optional>
#include <utility>

#include "base/json/text.h"
#include "base/utf8.h"

namespace telltale {

namespace {

using kineto_json::Place;
using kineto_json::Repairs;
using kineto_json::SkipSpace;
using kineto_json::Value;

// A list of numbers, of lists of numbers, and of plain words: what most containers of a trace are.
// True only if it surely is compact JSON already.
bool IsSimpleList(std::string_view text) {
  enum class Want : uint8_t { kValueOrEnd, kValue, kCommaOrEnd } want = Want::kValue;
  size_t depth = 0;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (want != Want::kCommaOrEnd && c == '[') {
      ++depth;
      ++i;
      want = Want::kValueOrEnd;
    } else if (want != Want::kValue && c == ']' && depth > 0) {
      --depth;
      ++i;
      if (depth == 0) return i == text.size();
      want = Want::kCommaOrEnd;
    } else if (want == Want::kCommaOrEnd) {
      if (c != ',') return false;
      ++i;
      want = Want::kValue;
    } else if (c == '"') {
      const size_t close = text.find('"', i + 1);
      if (close == std::string_view::npos || !IsPlain(text.substr(i + 1, close - i - 1))) {
        return false;
      }
      i = close + 1;
      want = Want::kCommaOrEnd;
    } else {
      const size_t begin = i;
      while (i < text.size() && text[i] != ',' && text[i] != ']') ++i;
      if (!IsJsonNumber(text.substr(begin, i - begin))) return false;
      want = Want::kCommaOrEnd;
    }
    if (depth == 0) return false;
  }
  return false;
}

}  // namespace

std::string CleanJson(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kString:
      return Quoted(Unescape(value.text()).text);
    case Value::Kind::kNumber:
      return IsJsonNumber(value.text()) ? std::string(value.text()) : Quoted(value.text());
    case Value::Kind::kTrue:
      return "true";
    case Value::Kind::kFalse:
      return "false";
    case Value::Kind::kContainer:
      return CompactJson(value.text());
    case Value::Kind::kBare:
      return Quoted(Unescape(value.text()).text);
    case Value::Kind::kInteger:
      return std::to_string(value.integer);
    case Value::Kind::kMissing:
    case Value::Kind::kNull:
    case Value::Kind::kReal:  // of other formats
    case Value::Kind::kInterned:
      break;
  }
  return "null";
}

std::string_view EventText::CleanKey(const Value& value) {
  if (IsPlain(value.text())) return value.text();
  const size_t begin = arena_.size();
  arena_ += Unescape(value.text()).text;
  return std::string_view(arena_).substr(begin);
}

std::string_view EventText::CleanValue(const Value& value) {
  const std::string_view text = value.text();
  switch (value.kind) {
    case Value::Kind::kString:
      // The quotes stand around it in the text.
      if (IsPlain(text)) return {text.data() - 1, text.size() + 2};
      break;
    case Value::Kind::kNumber:
      if (IsJsonNumber(text)) return text;
      break;
    case Value::Kind::kContainer:
      if (IsSimpleList(text)) return text;
      break;
    default:
      break;
  }
  const size_t begin = arena_.size();
  arena_ += CleanJson(value);
  return std::string_view(arena_).substr(begin);
}

template <bool kRepair>
bool EventText::ParseObject(const char*& p, const char* end, bool is_args) {
  Repairs repairs;
  repairs.at_eof = true;
  ++p;
  for (bool first = true;; first = false) {
    p = SkipSpace(p);
    bool comma = false;
    if (!first && p < end && *p == ',') {
      comma = true;
      p = SkipSpace(p + 1);
    }
    if (p < end && *p == '}') {
      ++p;
      return true;
    }
    if (p >= end || *p != '"' || (!first && !comma)) return false;
    Value key;
    const char* next = kineto_json::ReadString<kRepair>(p, end, Place::kKey, key, repairs);
    if (next == nullptr) return false;
    p = SkipSpace(next);
    if (p >= end || *p != ':') return false;
    p = SkipSpace(p + 1);
    if (p >= end) return false;
    const std::string_view name = CleanKey(key);
    if (!is_args && name == "args") {
      args_.clear();
      odd_args_ = {};
      has_args_ = true;
      if (*p == '{') {
        if (!ParseObject<kRepair>(p, end, true)) return false;
        continue;
      }
    }
    Value value;
    next = kineto_json::ReadValue<kRepair>(p, end, value, repairs);
    if (next == nullptr) return false;
    p = next;
    if (!is_args && name == "args") {
      odd_args_ = CleanValue(value);
    } else {
      (is_args ? args_ : fields_).push_back({name, CleanValue(value)});
    }
  }
}

template <bool kRepair>
bool EventText::ParseWhole(std::string_view text) {
  fields_.clear();
  args_.clear();
  odd_args_ = {};
  has_args_ = false;
  arena_.clear();
  const char* p = text.data();
  const char* const end = p + text.size();
  return ParseObject<kRepair>(p, end, false) && p == end;
}

bool EventText::Parse(std::string_view text) {
  if (text.empty() || text.front() != '{') return false;
  // An escape makes six bytes of one; views into the arena must stay valid.
  if (arena_.capacity() < text.size() * 6 + 64) arena_.reserve(text.size() * 6 + 64);
  return ParseWhole<false>(text) || ParseWhole<true>(text);
}

}  // namespace telltale
