// SPDX-License-Identifier: Apache-2.0
#include "views/field_value.h"

#include <array>
#include <charconv>
#include <optional>
#include <type_traits>

#include "base/json/scan.h"

namespace telltale {

namespace {

bool IsNegativeNumber(std::string_view text) {
  if (text.size() < 2 || text[0] != '-' || text[1] < '0' || text[1] > '9') return false;
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error == std::errc() && end == text.data() + text.size();
}

// Spreadsheets take a text that begins so for a formula, and run it.
bool LooksLikeFormula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r\n").find(text[0]) != text.npos &&
         !IsNegativeNumber(text);
}

void AppendCsvText(std::string_view text, std::string& out) {
  const std::string_view guard = LooksLikeFormula(text) ? "'" : "";
  if (text.find_first_of("\",\n\r") == std::string_view::npos) {
    out += guard;
    out += text;
    return;
  }
  out += '"';
  out += guard;
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// Orders numbers of either signedness and doubles.
template <typename A, typename B>
int CompareNumbers(A a, B b) {
  if constexpr (std::is_same_v<A, B>) {
    return a < b ? 1 : b < a ? -1 : 0;
  } else {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    return x < y ? 1 : y < x ? -1 : 0;
  }
}

std::optional<std::string_view> TextOf(const FieldValue& value) {
  if (const auto* view = std::get_if<std::string_view>(&value)) return *view;
  if (const auto* json = std::get_if<JsonText>(&value)) return json->text;
  if (const auto* text = std::get_if<std::string>(&value)) return std::string_view(*text);
  return std::nullopt;
}

}  // namespace

void WriteJson(const FieldValue& value, JsonWriter& json) {
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          json.Null();
        } else if constexpr (std::is_same_v<T, bool>) {
          json.Bool(v);
        } else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>) {
          json.Int(v);
        } else if constexpr (std::is_same_v<T, double>) {
          json.Double(v);
        } else if constexpr (std::is_same_v<T, JsonText>) {
          if (IsJson(v.text)) {
            json.Raw(v.text);
          } else {
            json.String(v.text);
          }
        } else {
          json.String(v);
        }
      },
      value);
}

void AppendCsv(const FieldValue& value, std::string& out) {
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) {
          out += v ? "true" : "false";
        } else if constexpr (std::is_arithmetic_v<T>) {
          std::array<char, 32> digits;
          const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), v).ptr;
          out.append(digits.data(), end);
        } else if constexpr (std::is_same_v<T, JsonText>) {
          AppendCsvText(v.text, out);
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          AppendCsvText(v, out);
        }
      },
      value);
}

int CompareDescending(const FieldValue& a, const FieldValue& b) {
  const bool a_missing = std::holds_alternative<std::monostate>(a);
  const bool b_missing = std::holds_alternative<std::monostate>(b);
  if (a_missing || b_missing) return static_cast<int>(a_missing) - static_cast<int>(b_missing);
  const std::optional<std::string_view> a_text = TextOf(a);
  const std::optional<std::string_view> b_text = TextOf(b);
  if (a_text && b_text) return a_text->compare(*b_text);
  return std::visit(
      [](const auto& x, const auto& y) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(x)>> &&
                      std::is_arithmetic_v<std::decay_t<decltype(y)>>) {
          return CompareNumbers(x, y);
        } else {
          return 0;
        }
      },
      a, b);
}

}  // namespace telltale
