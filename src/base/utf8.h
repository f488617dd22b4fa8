// SPDX-License-Identifier: Apache-2.0
// Well-formed UTF-8 (RFC 3629), and the repair of what is not.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace telltale {

constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";  // U+FFFD

// Length of the well-formed sequence at the start of `text`, which is not empty; 0 if there is
// none.
[[nodiscard]] size_t Utf8Length(std::string_view text);

// `text` with each byte that is not part of a well-formed sequence replaced by U+FFFD; nothing if
// the text is fine as it is.
[[nodiscard]] std::optional<std::string> ReplaceInvalidUtf8(std::string_view text);
// The same, as a text in any case.
[[nodiscard]] std::string RepairUtf8(std::string_view text);

}  // namespace telltale
