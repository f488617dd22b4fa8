// SPDX-License-Identifier: Apache-2.0
// HTML that somebody logged, made harmless: TensorBoard's own list of elements and attributes is
// kept, everything else becomes text that shows what was written. Open elements are closed, so that
// what follows stands on its own.
#pragma once

#include <string>
#include <string_view>

namespace telltale {

[[nodiscard]] std::string SafeHtml(std::string_view html);

// &, <, > and " as references.
[[nodiscard]] std::string EscapeHtml(std::string_view text);

// The bytes of the character reference at the front ("&amp;", "&#x41;"); 0: there is none.
[[nodiscard]] size_t CharacterReference(std::string_view text);

}  // namespace telltale
