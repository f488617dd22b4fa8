// SPDX-License-Identifier: Apache-2.0
// Adding to an editor's settings: JSON with comments and commas too many, which are to stay as they
// are. The text is looked through, never written anew.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

struct JsoncEntry {
  std::string name;  // what `name_key` says of it
  std::string text;  // the whole object, its lines indented by nothing
};

// The document with the entries behind those of the array `array_key` of its outermost object; an
// entry whose name is there already is left out. An array that is missing is made. An Error
// (kUsage) says where the text is none that this understands; nothing is guessed then.
[[nodiscard]] Result<std::string> WithEntries(std::string_view document, std::string_view array_key,
                                              std::string_view name_key,
                                              std::span<const JsoncEntry> entries);

}  // namespace telltale
