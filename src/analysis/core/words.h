// SPDX-License-Identifier: Apache-2.0
// Numbers as words of a sentence, in recommendations and findings. Not for tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace telltale::words {

// "980 ns", "64.2 µs", "177.6 ms", "2.41 s".
[[nodiscard]] std::string Duration(int64_t ns);
// "12 B", "1.25 GiB".
[[nodiscard]] std::string Bytes(int64_t bytes);
// "55.3 %"; "<0.1 %" for what is there but rounds to nothing.
[[nodiscard]] std::string Share(double share);
// "12.5", "80": at most one decimal.
[[nodiscard]] std::string Average(double value);
// "1 rank is", "12 ranks are".
[[nodiscard]] std::string Counted(uint64_t count, std::string_view one, std::string_view many);
// A name short enough for a sentence: cut in the middle of nothing, with an ellipsis at the end.
[[nodiscard]] std::string ShortName(std::string_view name);

}  // namespace telltale::words
