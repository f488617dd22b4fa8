// SPDX-License-Identifier: Apache-2.0
#include "base/json/value.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <vector>

#include "base/json/scan.h"
#include "base/json/text.h"
#include "base/json_writer.h"

namespace telltale {

JsonValue JsonValue::Bool(bool value) {
  JsonValue out;
  out.kind_ = Kind::kBool;
  out.int_ = value ? 1 : 0;
  return out;
}

JsonValue JsonValue::Int(int64_t value) {
  JsonValue out;
  out.kind_ = Kind::kInt;
  out.int_ = value;
  return out;
}

JsonValue JsonValue::Double(double value) {
  JsonValue out;
  out.kind_ = Kind::kDouble;
  out.double_ = value;
  return out;
}

JsonValue JsonValue::String(std::string value) {
  JsonValue out;
  out.kind_ = Kind::kString;
  out.text_ = std::move(value);
  return out;
}

JsonValue JsonValue::Array() {
  JsonValue out;
  out.kind_ = Kind::kArray;
  return out;
}

JsonValue JsonValue::Object() {
  JsonValue out;
  out.kind_ = Kind::kObject;
  return out;
}

int64_t JsonValue::AsInt() const {
  if (kind_ == Kind::kInt) return int_;
  // Beyond this a double is no int64.
  constexpr double kMost = 9.2e18;
  if (kind_ == Kind::kDouble && std::abs(double_) < kMost) return static_cast<int64_t>(double_);
  return 0;
}

double JsonValue::AsDouble() const {
  if (kind_ == Kind::kInt) return static_cast<double>(int_);
  return kind_ == Kind::kDouble ? double_ : 0;
}

std::optional<int64_t> JsonValue::WholeNumber() const {
  if (kind_ == Kind::kInt) return int_;
  // Above this not every whole number is a double.
  constexpr double kExact = 9007199254740992;
  if (kind_ != Kind::kDouble || !(std::abs(double_) <= kExact)) return std::nullopt;
  const auto whole = static_cast<int64_t>(double_);
  return static_cast<double>(whole) == double_ ? std::optional(whole) : std::nullopt;
}

const JsonValue& JsonValue::operator[](std::string_view key) const {
  static const JsonValue nothing;
  for (size_t i = members_.size(); i-- > 0;) {
    if (members_[i].first == key) return members_[i].second;
  }
  return nothing;
}

void JsonValue::Set(std::string key, JsonValue value) {
  for (auto& [name, old] : members_) {
    if (name == key) {
      old = std::move(value);
      return;
    }
  }
  members_.emplace_back(std::move(key), std::move(value));
}

namespace {

JsonValue NumberOf(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return JsonValue::Double(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return JsonValue::Double(kInfinity);
  if (text == "-Infinity") return JsonValue::Double(-kInfinity);
  int64_t whole = 0;
  if (const auto done = std::from_chars(text.data(), text.data() + text.size(), whole);
      done.ec == std::errc() && done.ptr == text.data() + text.size()) {
    return JsonValue::Int(whole);
  }
  double real = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), real).ec ==
      std::errc::result_out_of_range) {
    // Too small is 0; too large is told by the digits in front of the exponent's sign.
    const size_t exponent = text.find_first_of("eE");
    const bool small = exponent != std::string_view::npos &&
                       text.substr(exponent).find('-') != std::string_view::npos;
    real = small ? 0 : (text[0] == '-' ? -kInfinity : kInfinity);
  }
  return JsonValue::Double(real);
}

}  // namespace

// Takes the pieces of a scan, which come in a good order.
class JsonBuilder {
 public:
  explicit JsonBuilder(size_t most) : most_(most) {}

  void Add(JsonPiece piece, std::string_view raw, size_t offset) {
    if (too_many_at_) return;
    switch (piece) {
      case JsonPiece::kKey:
        open_.back()->members_.emplace_back(Unescape(raw).text, JsonValue());
        return;
      case JsonPiece::kEndObject:
      case JsonPiece::kEndArray:
        open_.pop_back();
        return;
      default:
        break;
    }
    if (++values_ > most_) {
      too_many_at_ = offset;
      return;
    }
    JsonValue& value = Place();
    switch (piece) {
      case JsonPiece::kBeginObject:
      case JsonPiece::kBeginArray:
        value.kind_ =
            piece == JsonPiece::kBeginObject ? JsonValue::Kind::kObject : JsonValue::Kind::kArray;
        // Stays where it is while it is open: only the innermost value grows.
        open_.push_back(&value);
        return;
      case JsonPiece::kString:
        value = JsonValue::String(Unescape(raw).text);
        return;
      case JsonPiece::kNumber:
        value = NumberOf(raw);
        return;
      case JsonPiece::kTrue:
      case JsonPiece::kFalse:
        value = JsonValue::Bool(piece == JsonPiece::kTrue);
        return;
      default:
        return;
    }
  }
  [[nodiscard]] std::optional<size_t> too_many_at() const { return too_many_at_; }
  [[nodiscard]] JsonValue Take() { return std::move(root_); }

 private:
  // Where the next value goes.
  JsonValue& Place() {
    if (open_.empty()) return root_;
    JsonValue& around = *open_.back();
    return around.kind_ == JsonValue::Kind::kObject ? around.members_.back().second
                                                    : around.elements_.emplace_back();
  }

  size_t most_;
  size_t values_ = 0;
  std::optional<size_t> too_many_at_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
};

Result<JsonValue> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return Fail(ErrorCode::kUnreadable, "the JSON text has " + std::to_string(text.size()) +
                                            " bytes; at most " + std::to_string(limits.bytes) +
                                            " are read");
  }
  JsonBuilder builder(limits.values);
  std::optional<JsonFlaw> flaw =
      ScanJson(text, {.deepest = limits.depth, .any_string = true, .not_finite = true},
               [&](JsonPiece piece, std::string_view raw, size_t offset) {
                 builder.Add(piece, raw, offset);
               });
  if (builder.too_many_at()) flaw = {*builder.too_many_at(), "fewer values"};
  if (!flaw) return builder.Take();
  return Fail(ErrorCode::kUnreadable,
              "no JSON: expected " + std::string(flaw->expected) + " at byte " +
                  std::to_string(flaw->offset) +
                  (flaw->offset >= text.size() ? ", where the text ends" : ""),
              flaw->offset);
}

namespace {

void Write(const JsonValue& value, JsonWriter& json) {  // NOLINT(misc-no-recursion): bounded depth
  using Kind = JsonValue::Kind;
  switch (value.kind()) {
    case Kind::kNull:
      return json.Null();
    case Kind::kBool:
      return json.Bool(value.AsBool());
    case Kind::kInt:
      return json.Int(value.AsInt());
    case Kind::kDouble: {
      const double real = value.AsDouble();
      if (std::isnan(real)) return json.String("NaN");
      if (std::isinf(real)) return json.String(real > 0 ? "Infinity" : "-Infinity");
      return json.Double(real);
    }
    case Kind::kString:
      return json.String(value.AsString());
    case Kind::kArray:
      json.BeginArray();
      for (const JsonValue& element : value.elements()) Write(element, json);
      return json.EndArray();
    case Kind::kObject:
      json.BeginObject();
      for (const auto& [key, member] : value.members()) {
        json.Key(key);
        Write(member, json);
      }
      return json.EndObject();
  }
}

}  // namespace

std::string ToJsonText(const JsonValue& value) {
  JsonWriter json(false);
  Write(value, json);
  std::string text = json.Take();
  text.pop_back();  // the newline
  return text;
}

}  // namespace telltale
