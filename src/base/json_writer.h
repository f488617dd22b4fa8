// SPDX-License-Identifier: Apache-2.0
// Writes one JSON document into a string, compact or indented. Commas and quoting are its business;
// the caller opens and closes what it opens. Text that is not UTF-8 must be repaired before it
// comes here.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

class JsonWriter {
 public:
  explicit JsonWriter(bool indented = true) : indented_(indented) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);

  void String(std::string_view text);
  void Int(std::integral auto value) {
    if constexpr (std::unsigned_integral<decltype(value)>) {
      Raw(std::to_string(static_cast<unsigned long long>(value)));
    } else {
      Raw(std::to_string(static_cast<long long>(value)));
    }
  }
  // Shortest text that reads back as the same double; not finite becomes null.
  void Double(double value);
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }
  // A value that already is JSON.
  void Raw(std::string_view json);

  // "key": value in one call.
  void Field(std::string_view key, std::string_view text) { Key(key), String(text); }
  void Field(std::string_view key, const char* text) { Key(key), String(text); }
  void Field(std::string_view key, const std::string& text) { Key(key), String(text); }
  void Field(std::string_view key, bool value) { Key(key), Bool(value); }
  void Field(std::string_view key, double value) { Key(key), Double(value); }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void Field(std::string_view key, T value) {
    Key(key), Int(value);
  }
  template <typename T>
  void Field(std::string_view key, const std::optional<T>& value) {
    if (value) {
      Field(key, *value);
    } else {
      Key(key), Null();
    }
  }
  void FieldNull(std::string_view key) { Key(key), Null(); }

  // Bytes so far.
  [[nodiscard]] size_t size() const { return out_.size(); }
  // Ends the document with a newline and hands it over.
  [[nodiscard]] std::string Take();

 private:
  void Open(char bracket);
  void Close(char bracket);
  void BeforeValue();
  void NewLine();

  std::string out_;
  std::vector<bool> has_items_;
  bool after_key_ = false;
  bool indented_;
};

}  // namespace telltale
