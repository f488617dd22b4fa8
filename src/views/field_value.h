// SPDX-License-Identifier: Apache-2.0
// One value of a row, as JSON, CSV, sorting and tables take it. Values are views into the row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/json_writer.h"

namespace telltale {

// Text that is JSON already, such as input shapes, if the file has it right.
struct JsonText {
  std::string_view text;
};

// std::monostate: the capture does not contain the value.
using FieldValue = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string_view,
                                JsonText, std::string>;

void WriteJson(const FieldValue& value, JsonWriter& json);
// One CSV cell, quoted where it must be; nothing for a missing value. A text that a spreadsheet
// would run as a formula has ' in front; numbers never have.
void AppendCsv(const FieldValue& value, std::string& out);

// < 0 if `a` comes first.
[[nodiscard]] int CompareDescending(const FieldValue& a, const FieldValue& b);

}  // namespace telltale
