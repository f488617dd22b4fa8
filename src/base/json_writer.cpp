// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/json/text.h"

namespace telltale {

void JsonWriter::NewLine() {
  if (!indented_) return;
  out_ += '\n';
  out_.append(has_items_.size() * 2, ' ');
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  NewLine();
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  out_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::Close(char bracket) {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) NewLine();
  out_ += bracket;
}

void JsonWriter::Key(std::string_view key) {
  BeforeValue();
  AppendQuoted(out_, key);
  out_ += indented_ ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::String(std::string_view text) {
  BeforeValue();
  AppendQuoted(out_, text);
}

void JsonWriter::Raw(std::string_view json) {
  BeforeValue();
  out_ += json;
}

void JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  std::string_view digits(text.data(), static_cast<size_t>(end - text.data()));
  BeforeValue();
  out_ += digits;
  // A share stays recognisably a number with a fraction.
  if (digits.find_first_of(".e") == std::string_view::npos) out_ += ".0";
}

std::string JsonWriter::Take() {
  out_ += '\n';
  return std::exchange(out_, {});
}

}  // namespace telltale
