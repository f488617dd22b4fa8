// SPDX-License-Identifier: Apache-2.0
// A small JSON document as a tree: a request's body, settings, a run's description, what trackers
// log. What is large is read as a stream (formats/json_stream.h). Size, depth and number of values
// are bounded, so that a hostile text costs no more than its own size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace telltale {

class JsonValue {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };
  using Member = std::pair<std::string, JsonValue>;

  JsonValue() = default;
  static JsonValue Bool(bool value);
  static JsonValue Int(int64_t value);
  static JsonValue Double(double value);
  static JsonValue String(std::string value);
  static JsonValue Array();
  static JsonValue Object();

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool IsNull() const { return kind_ == Kind::kNull; }
  [[nodiscard]] bool IsString() const { return kind_ == Kind::kString; }
  [[nodiscard]] bool IsArray() const { return kind_ == Kind::kArray; }
  [[nodiscard]] bool IsObject() const { return kind_ == Kind::kObject; }
  [[nodiscard]] bool IsNumber() const { return kind_ == Kind::kInt || kind_ == Kind::kDouble; }

  // Of another kind: false, 0, empty.
  [[nodiscard]] bool AsBool() const { return kind_ == Kind::kBool && int_ != 0; }
  [[nodiscard]] int64_t AsInt() const;
  [[nodiscard]] double AsDouble() const;
  [[nodiscard]] const std::string& AsString() const { return text_; }
  // 3 and 3.0; none for 3.5, for what an int64 does not hold, and for other kinds.
  [[nodiscard]] std::optional<int64_t> WholeNumber() const;
  [[nodiscard]] const std::vector<JsonValue>& elements() const { return elements_; }
  // In the order of the text.
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  // The last of that name, as Python has it; a null value where there is none.
  [[nodiscard]] const JsonValue& operator[](std::string_view key) const;

  void Add(JsonValue element) { elements_.push_back(std::move(element)); }
  // Takes the place of a value of that name.
  void Set(std::string key, JsonValue value);

 private:
  friend class JsonBuilder;
  Kind kind_ = Kind::kNull;
  int64_t int_ = 0;  // and of a bool
  double double_ = 0;
  std::string text_;
  std::vector<JsonValue> elements_;
  std::vector<Member> members_;
};

struct JsonLimits {
  size_t bytes = size_t{16} << 20;
  size_t depth = 64;
  size_t values = size_t{1} << 20;
};

// The whole text as one value. Also takes NaN, Infinity and -Infinity, which Python writes. Whole
// numbers that fit are kInt, all others kDouble. Texts that are not UTF-8 are repaired. An Error
// has the offset and says what was expected there.
[[nodiscard]] Result<JsonValue> ParseJson(std::string_view text, const JsonLimits& limits = {});

// Compact; NaN and infinities are the texts "NaN", "Infinity", "-Infinity".
[[nodiscard]] std::string ToJsonText(const JsonValue& value);

}  // namespace telltale
