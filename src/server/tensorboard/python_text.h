// SPDX-License-Identifier: Apache-2.0
// Numbers and texts as TensorBoard, a Python program, writes them.
#pragma once

#include <string>
#include <string_view>

namespace telltale {

// 0.1, 1.0, 1e-05, nan: as repr() does.
[[nodiscard]] std::string PythonFloat(double value);
// 'run', "it's": as repr() does.
[[nodiscard]] std::string PythonQuoted(std::string_view text);

// In JSON; NaN and infinities are texts.
void AppendJsonNumber(double value, std::string& out);
[[nodiscard]] std::string JsonNumber(double value);
[[nodiscard]] std::string QuotedJson(
    std::string_view text);  // quoted; repaired where it is no UTF-8

}  // namespace telltale
