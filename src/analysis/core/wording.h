// SPDX-License-Identifier: Apache-2.0
// Numbers inside the sentences of recommendations and findings. Not for tables: those are the
// CLI's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace telltale::advice {

// "980 ns", "64.2 µs", "177.6 ms", "2.41 s".
[[nodiscard]] std::string Duration(int64_t ns);
// "12 B", "1.25 GiB".
[[nodiscard]] std::string Bytes(int64_t bytes);
// "55.3 %"; "<0.1 %" for what is there but rounds to nothing.
[[nodiscard]] std::string Share(double share);
// "12.5", "80": at most one decimal.
[[nodiscard]] std::string Average(double value);
// A name short enough for a sentence: cut in the middle of nothing, with an ellipsis at the end.
[[nodiscard]] std::string ShortName(std::string_view name);

}  // namespace telltale::advice
