// SPDX-License-Identifier: Apache-2.0
// What kind of JSON value a text is, for writing it as one of Perfetto's.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace telltale::perfetto {

[[nodiscard]] inline std::optional<int64_t> IntegerOf(std::string_view json) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), number);
  if (json.empty() || error != std::errc() || end != json.data() + json.size()) return std::nullopt;
  return number;
}

[[nodiscard]] inline bool IsString(std::string_view json) {
  return !json.empty() && json.front() == '"';
}

}  // namespace telltale::perfetto
