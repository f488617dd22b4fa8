// SPDX-License-Identifier: Apache-2.0
// The arguments of an operator call as record_shapes captured them: shapes and types of tensors,
// values of scalars and lists. Reads the JSON texts of Input Dims, Input type and Concrete Inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

// Types of elements, as far as sizes and peaks of devices tell them apart.
enum class NumberType : uint8_t {
  kFp64,
  kFp32,
  kFp16,
  kBf16,
  kFp8,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kBool,
  kComplex64,
  kComplex128,
};
constexpr size_t kNumberTypeCount = 12;
[[nodiscard]] std::string_view NameOf(NumberType type);
[[nodiscard]] int64_t BytesOf(NumberType type);
// By torch's text: "float", "c10::BFloat16", "long int" …
[[nodiscard]] std::optional<NumberType> NumberTypeOf(std::string_view text);

// A number of operations or bytes. Never negative; knows when it has left 64 bits or a size was
// negative, and then has no value.
class Count {
 public:
  Count() = default;
  Count(int64_t value)  // NOLINT: sizes are written as numbers
      : value_(value), valid_(value >= 0) {}
  friend Count operator+(Count a, Count b) {
    a.valid_ = a.valid_ && b.valid_ && !__builtin_add_overflow(a.value_, b.value_, &a.value_);
    return a;
  }
  friend Count operator*(Count a, Count b) {
    a.valid_ = a.valid_ && b.valid_ && !__builtin_mul_overflow(a.value_, b.value_, &a.value_);
    return a;
  }
  Count& operator+=(Count b) { return *this = *this + b; }
  Count& operator*=(Count b) { return *this = *this * b; }
  [[nodiscard]] std::optional<int64_t> value() const {
    return valid_ ? std::optional(value_) : std::nullopt;
  }

 private:
  int64_t value_ = 0;
  bool valid_ = true;
};

using Shape = std::vector<int64_t>;
[[nodiscard]] Count Elements(const Shape& shape);

struct Tensor {
  Shape shape;
  NumberType type = NumberType::kFp32;

  [[nodiscard]] Count elements() const { return Elements(shape); }
  [[nodiscard]] Count bytes() const { return elements() * BytesOf(type); }
  [[nodiscard]] size_t rank() const { return shape.size(); }
};

class CallArguments {
 public:
  // Texts that are missing or not as torch writes them leave arguments out.
  // `in_place`: the first argument is the result as well (aten::add_).
  CallArguments(std::string_view dims, std::string_view types, std::string_view concrete,
                bool in_place = false);

  [[nodiscard]] bool in_place() const { return in_place_; }
  [[nodiscard]] size_t size() const { return arguments_.size(); }
  // nullptr: no tensor there, or one of unknown type.
  [[nodiscard]] const Tensor* TensorAt(size_t i) const;
  // The tensors of a list; empty if their shapes or types were not captured.
  [[nodiscard]] const std::vector<Tensor>& ListAt(size_t i) const;
  // A tensor, but of a type that has no size here.
  [[nodiscard]] bool IsUnknownTensor(size_t i) const;
  // Whether values were captured at all.
  [[nodiscard]] bool HasConcrete() const { return has_concrete_; }
  // The value of a scalar or list as written; empty: not captured, or None.
  [[nodiscard]] std::string_view Text(size_t i) const;
  [[nodiscard]] std::optional<bool> Flag(size_t i) const;
  [[nodiscard]] std::optional<int64_t> Integer(size_t i) const;
  // "[1, 1]"; one number is a list of one.
  [[nodiscard]] std::optional<std::vector<int64_t>> Integers(size_t i) const;
  // "[True, False]".
  [[nodiscard]] std::optional<std::vector<bool>> Flags(size_t i) const;
  // The bytes of all tensors at [first, last).
  [[nodiscard]] Count BytesOfTensors(size_t first, size_t last) const;

 private:
  struct Argument {
    std::optional<Tensor> tensor;
    std::vector<Tensor> list;
    bool unknown_tensor = false;
    std::string text;
  };
  std::vector<Argument> arguments_;
  bool has_concrete_ = false;
  bool in_place_ = false;
};

}  // namespace telltale
