// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/python_text.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace telltale {

std::string PythonFloat(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char digits[32];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::scientific);
  const std::string_view text(digits, static_cast<size_t>(end - digits));
  const size_t mark = text.find('e');
  int exponent = 0;
  const char* const from = text.data() + mark + 1 + (text[mark + 1] == '+' ? 1 : 0);
  std::from_chars(from, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) return std::string(text);
  char fixed[64];
  const char* const fixed_end =
      std::to_chars(fixed, fixed + sizeof(fixed), value, std::chars_format::fixed).ptr;
  const std::string plain(fixed, static_cast<size_t>(fixed_end - fixed));
  return plain.find('.') == std::string::npos ? plain + ".0" : plain;
}

std::string PythonQuoted(std::string_view text) {
  const bool doubles =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = doubles ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : RepairUtf8(text)) {
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + quote;
}

void AppendJsonNumber(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
    out.append(digits, end);
  }
}

std::string JsonNumber(double value) {
  std::string out;
  AppendJsonNumber(value, out);
  return out;
}

std::string QuotedJson(std::string_view text) {
  JsonWriter json(false);
  json.String(RepairUtf8(text));
  std::string quoted = json.Take();
  quoted.pop_back();  // the newline
  return quoted;
}

}  // namespace telltale
