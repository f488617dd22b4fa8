// SPDX-License-Identifier: Apache-2.0
// Text as a terminal shows it: how many columns it takes, how it is made safe to print, shortened,
// padded and wrapped. Knows UTF-8 and the widths of East Asian and combining characters; not for
// colours (see colors.h) and not for layout (see table.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

// Columns the text takes. Bytes that are not UTF-8 count one each.
[[nodiscard]] size_t DisplayWidth(std::string_view text);

// Number of code points, what Python calls len(). Bytes that are not UTF-8 count one each.
[[nodiscard]] size_t CodePoints(std::string_view text);
// The first `count` code points.
[[nodiscard]] std::string_view FirstCodePoints(std::string_view text, size_t count);
// The last `count` code points.
[[nodiscard]] std::string_view LastCodePoints(std::string_view text, size_t count);

// Text from a file, made safe for a terminal: control characters (an escape sequence could move the
// cursor or change the title) and characters that reorder others become a replacement, white space
// becomes one space a character. Without `unicode`, everything beyond ASCII becomes '?'.
[[nodiscard]] std::string Printable(std::string_view text, bool unicode);

// At most `width` columns: what is too long loses its middle, because both ends of a kernel's or
// operator's name carry meaning.
[[nodiscard]] std::string ShortenMiddle(std::string_view text, size_t width, bool unicode);

// What a sentence calls a kernel: its C++ name without `void`, parameters, anonymous namespaces and
// long template arguments ("at::native::reduce_kernel<…>"); other names ("Memcpy HtoD (Pageable ->
// Device)") as they are.
[[nodiscard]] std::string KernelName(std::string_view name, bool unicode);

[[nodiscard]] std::string PadRight(std::string_view text, size_t width);
[[nodiscard]] std::string PadLeft(std::string_view text, size_t width);

// Lines of at most `width` columns, broken at spaces; a word longer than a line is cut. Never
// empty.
[[nodiscard]] std::vector<std::string> Wrap(std::string_view text, size_t width);

}  // namespace telltale
