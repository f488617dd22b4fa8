// SPDX-License-Identifier: Apache-2.0
// The inside of a paragraph, heading or cell: emphasis, code, links, images, line breaks.
#pragma once

#include <string>
#include <string_view>

namespace telltale {

// Not safe yet: tags of the text pass through.
[[nodiscard]] std::string HtmlOfSpans(std::string_view text);

}  // namespace telltale
