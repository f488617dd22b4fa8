// SPDX-License-Identifier: Apache-2.0
// An independent opinion on JsonStream: the tokens of a document as simdjson finds them.
#pragma once

#include <string>
#include <string_view>

namespace telltale {

// Empty if simdjson rejects the text or both find the same; otherwise what differs.
[[nodiscard]] std::string CompareTokensWithSimdjson(std::string_view text);

}  // namespace telltale
