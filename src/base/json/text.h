// SPDX-License-Identifier: Apache-2.0
// From the text of JSON values to clean text and back: escapes resolved, surrogate pairs joined,
// bytes that are not UTF-8 replaced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace telltale {

// What had to be repaired, as bits.
enum TextFlaw : uint8_t {
  kNoFlaw = 0,
  kFlawControl = 1,
  kFlawUtf8 = 2,
  kFlawEscape = 4,
};

struct CleanText {
  std::string text;
  uint8_t flaws = kNoFlaw;
};

[[nodiscard]] CleanText Unescape(std::string_view raw);

// A JSON value without white space outside its strings. Text that is no JSON value comes back as a
// JSON string of itself, so that the result always is JSON.
[[nodiscard]] std::string CompactJson(std::string_view raw);

// Is it a JSON string when put between quotes, as it stands?
[[nodiscard]] bool IsPlain(std::string_view text);
// A JSON number exactly as RFC 8259 has it.
[[nodiscard]] bool IsJsonNumber(std::string_view text);
// Text, known to be UTF-8, as a JSON string.
void AppendQuoted(std::string& out, std::string_view text);
[[nodiscard]] std::string Quoted(std::string_view text);
// The text of a JSON string; any other value as it is.
[[nodiscard]] std::string Unquoted(std::string_view json);

}  // namespace telltale
