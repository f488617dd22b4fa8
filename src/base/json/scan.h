// SPDX-License-Identifier: Apache-2.0
// One walk over a JSON text in memory, piece by piece, without recursion: what checking
// (IsJson), copying (CompactJson) and small documents (value.h) have in common. Builds nothing.
// Large documents have readers of their own: formats/json_stream.h takes any size, block by block,
// and formats/kineto_json repairs what torch writes, on all cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace telltale {

enum class JsonPiece : uint8_t {
  kBeginObject,
  kEndObject,
  kBeginArray,
  kEndArray,
  kKey,     // the raw text between its quotes
  kString,  // the same
  kNumber,  // as written
  kTrue,
  kFalse,
  kNull,
};

struct JsonScanOptions {
  size_t deepest = 200;  // open brackets: the text is not trusted
  // A string may hold anything but a bare quotation mark: Unescape (text.h) repairs it.
  bool any_string = false;
  bool not_finite = false;  // NaN, Infinity and -Infinity are numbers, as Python writes them
};

// Where the text stops being JSON, and what should stand there.
struct JsonFlaw {
  size_t offset = 0;
  std::string_view expected;
};

// How many bytes of the text's front are a number as RFC 8259 has it; 0: none.
[[nodiscard]] size_t JsonNumberLength(std::string_view text);
// How many bytes of the text's front, which is a quotation mark, are a string; 0: it does not end,
// or holds what JSON does not allow.
[[nodiscard]] size_t JsonStringLength(std::string_view text, bool any_string);
// NaN, Infinity, -Infinity; 0: none of them.
[[nodiscard]] size_t NotFiniteLength(std::string_view text);

// Calls on_piece(piece, text, offset) for one whole value and all that is in it.
template <typename OnPiece>
[[nodiscard]] std::optional<JsonFlaw> ScanJson(std::string_view text,
                                               const JsonScanOptions& options, OnPiece on_piece) {
  std::string closers;  // of the brackets that are open
  size_t at = 0;
  const auto skip = [&] {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    return at < text.size();
  };
  const auto flaw = [&](std::string_view expected) { return JsonFlaw{at, expected}; };
  const auto take = [&](JsonPiece piece, size_t length, size_t trimmed = 0) {
    on_piece(piece, text.substr(at + trimmed, length - 2 * trimmed), at);
    at += length;
  };
  // After { or , in an object.
  const auto key = [&] {
    const size_t length =
        skip() && text[at] == '"' ? JsonStringLength(text.substr(at), options.any_string) : 0;
    if (length == 0) return false;
    take(JsonPiece::kKey, length, 1);
    if (!skip() || text[at] != ':') return false;
    ++at;
    return true;
  };
  bool want_value = true;
  while (true) {
    if (!skip()) {
      if (closers.empty() && !want_value) return std::nullopt;
      return flaw(want_value ? "a value" : "a comma or a closing bracket");
    }
    const char c = text[at];
    if (!want_value) {
      if (closers.empty()) return flaw("nothing more");
      if (c == closers.back()) {
        take(c == '}' ? JsonPiece::kEndObject : JsonPiece::kEndArray, 1);
        closers.pop_back();
        continue;
      }
      if (c != ',') return flaw("a comma or a closing bracket");
      ++at;
      if (closers.back() == '}' && !key()) return flaw("a key and a colon");
      want_value = true;
      continue;
    }
    if (c == '[' || c == '{') {
      if (closers.size() == options.deepest) return flaw("fewer nested brackets");
      take(c == '{' ? JsonPiece::kBeginObject : JsonPiece::kBeginArray, 1);
      closers += c == '{' ? '}' : ']';
      if (skip() && text[at] == closers.back()) {
        want_value = false;
      } else if (c == '{' && !key()) {
        return flaw("a key and a colon");
      }
      continue;
    }
    want_value = false;
    const std::string_view rest = text.substr(at);
    if (c == '"') {
      const size_t length = JsonStringLength(rest, options.any_string);
      if (length == 0) return flaw("a whole string");
      take(JsonPiece::kString, length, 1);
    } else if (rest.starts_with("true")) {
      take(JsonPiece::kTrue, 4);
    } else if (rest.starts_with("false")) {
      take(JsonPiece::kFalse, 5);
    } else if (rest.starts_with("null")) {
      take(JsonPiece::kNull, 4);
    } else if (const size_t length = JsonNumberLength(rest); length > 0) {
      take(JsonPiece::kNumber, length);
    } else if (const size_t word = options.not_finite ? NotFiniteLength(rest) : 0; word > 0) {
      take(JsonPiece::kNumber, word);
    } else {
      return flaw("a value");
    }
  }
}

// Whether the text is one whole, valid JSON value.
[[nodiscard]] bool IsJson(std::string_view text);

}  // namespace telltale
