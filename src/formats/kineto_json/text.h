// SPDX-License-Identifier: Apache-2.0
// The bytes between two quotes of a JSON file as clean text: escapes resolved, surrogate pairs
// joined, bytes that are not UTF-8 replaced. Only distinct strings come here, so it need not be
// fast.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace telltale::kineto_json {

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

}  // namespace telltale::kineto_json
