// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/flops.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "analysis/core/json_cursor.h"

namespace telltale {

namespace {

enum class Formula : uint8_t {
  kNone,
  kElementwise,
  kMatrix,
  kMatrixAdd,
  kBatch,
  kBatchAdd,
  kConv2d
};

constexpr auto kFormulas = std::to_array<std::pair<std::string_view, Formula>>({
    {"aten::add", Formula::kElementwise},
    {"aten::mul", Formula::kElementwise},
    {"aten::mm", Formula::kMatrix},
    {"aten::addmm", Formula::kMatrixAdd},
    {"aten::bmm", Formula::kBatch},
    {"aten::baddbmm", Formula::kBatchAdd},
    {"aten::conv2d", Formula::kConv2d},
});

Formula FormulaOf(std::string_view operator_name) {
  const std::string_view name = operator_name.substr(0, operator_name.find('.'));
  for (const auto& [known, formula] : kFormulas) {
    if (known == name) return formula;
  }
  return Formula::kNone;
}

// A product that knows when it has left 64 bits.
class Product {
 public:
  explicit Product(int64_t value) : value_(value) {}
  Product& operator*=(int64_t factor) {
    overflow_ |= __builtin_mul_overflow(value_, factor, &value_);
    return *this;
  }
  [[nodiscard]] std::optional<int64_t> value() const {
    return overflow_ ? std::nullopt : std::optional(value_);
  }

 private:
  int64_t value_;
  bool overflow_ = false;
};

using Shape = std::vector<int64_t>;

// Element `index` of a JSON list, read by `read`.
template <typename Read>
auto Element(std::string_view list, size_t index, Read read)
    -> decltype(read(std::declval<JsonCursor&>())) {
  JsonCursor cursor(list);
  if (!cursor.Take('[')) return std::nullopt;
  for (size_t i = 0; i < index; ++i) {
    if (!cursor.Skip() || !cursor.Take(',')) return std::nullopt;
  }
  return read(cursor);
}

std::optional<Shape> ShapeAt(std::string_view dims, size_t index) {
  return Element(dims, index, [](JsonCursor& cursor) { return cursor.Integers(); });
}

std::optional<std::string> StringAt(std::string_view list, size_t index) {
  return Element(list, index, [](JsonCursor& cursor) { return cursor.String(); });
}

// A list written as a string, as Concrete Inputs does: "[1, 1]". One number stands for both axes.
std::optional<std::array<int64_t, 2>> PairAt(std::string_view concrete_inputs, size_t index) {
  const std::optional<std::string> text = StringAt(concrete_inputs, index);
  if (!text) return std::nullopt;
  const std::optional<Shape> values = JsonCursor(*text).Integers();
  if (!values || values->empty()) return std::nullopt;
  return std::array<int64_t, 2>{values->front(),
                                values->size() == 1 ? values->front() : (*values)[1]};
}

std::optional<int64_t> Elementwise(std::string_view dims, std::string_view types) {
  const std::optional<std::string> type = StringAt(types, 0);
  if (!type) return std::nullopt;
  if (type->empty() || *type == "Scalar") return 0;
  const std::optional<Shape> shape = ShapeAt(dims, 0);
  if (!shape) return std::nullopt;
  Product product(1);  // a tensor without dimensions has one element
  for (const int64_t size : *shape) product *= size;
  return product.value();
}

std::optional<int64_t> Matrix(std::string_view dims, size_t left_index) {
  const std::optional<Shape> left = ShapeAt(dims, left_index);
  const std::optional<Shape> right = ShapeAt(dims, left_index + 1);
  if (!left || !right) return std::nullopt;
  if (left->size() != 2 || right->size() != 2) return 0;
  Product product(2);
  product *= (*left)[0];
  product *= (*left)[1];
  product *= (*right)[1];
  return product.value();
}

std::optional<int64_t> Batch(std::string_view dims, size_t left_index) {
  const std::optional<Shape> left = ShapeAt(dims, left_index);
  const std::optional<Shape> right = ShapeAt(dims, left_index + 1);
  if (!left || !right || left->size() < 3 || right->size() < 3) return std::nullopt;
  Product product(2);
  for (const size_t axis : {0U, 1U, 2U}) product *= (*left)[axis];
  product *= (*right)[2];
  return product.value();
}

int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// Positions along one axis; nullopt where the numbers make no sense.
std::optional<int64_t> ConvolutionOutput(int64_t size, int64_t kernel, int64_t stride,
                                         int64_t padding, int64_t dilation) {
  constexpr int64_t kLargest = int64_t{1} << 31;  // keeps the arithmetic inside 64 bits
  for (const int64_t value : {size, kernel, stride, padding, dilation}) {
    if (value < -kLargest || value > kLargest) return std::nullopt;
  }
  if (stride == 0) return std::nullopt;
  return FloorDivide(size + 2 * padding - dilation * (kernel - 1) - 1, stride) + 1;
}

std::optional<int64_t> Conv2d(std::string_view dims, std::string_view concrete_inputs) {
  const std::optional<Shape> input = ShapeAt(dims, 0);
  const std::optional<Shape> weight = ShapeAt(dims, 1);
  if (!input || !weight || input->size() != 4 || weight->size() != 4) return std::nullopt;
  const auto stride = PairAt(concrete_inputs, 3);
  const auto padding = PairAt(concrete_inputs, 4);
  const auto dilation = PairAt(concrete_inputs, 5);
  const std::optional<std::string> groups_text = StringAt(concrete_inputs, 6);
  if (!stride || !padding || !dilation || !groups_text) return std::nullopt;
  const std::optional<int64_t> groups = JsonCursor(*groups_text).Integer();
  if (!groups || *groups <= 0) return std::nullopt;

  Product product(2);
  product *= (*input)[0];
  for (const size_t axis : {0U, 1U}) {
    const int64_t kernel = (*weight)[2 + axis];
    const auto positions = ConvolutionOutput((*input)[2 + axis], kernel, (*stride)[axis],
                                             (*padding)[axis], (*dilation)[axis]);
    if (!positions) return std::nullopt;
    product *= *positions;
    product *= kernel;
  }
  product *= (*input)[1];
  product *= (*weight)[0];
  const std::optional<int64_t> all_groups = product.value();
  if (!all_groups) return std::nullopt;
  return FloorDivide(*all_groups, *groups);
}

}  // namespace

bool HasFlopsFormula(std::string_view operator_name) {
  return FormulaOf(operator_name) != Formula::kNone;
}

std::optional<int64_t> Flops(std::string_view operator_name, std::string_view input_dims,
                             std::string_view input_types, std::string_view concrete_inputs) {
  if (input_dims.empty() || input_dims == "[]") return std::nullopt;
  switch (FormulaOf(operator_name)) {
    case Formula::kElementwise:
      return Elementwise(input_dims, input_types);
    case Formula::kMatrix:
      return Matrix(input_dims, 0);
    case Formula::kMatrixAdd:
      return Matrix(input_dims, 1);
    case Formula::kBatch:
      return Batch(input_dims, 0);
    case Formula::kBatchAdd:
      return Batch(input_dims, 1);
    case Formula::kConv2d:
      return Conv2d(input_dims, concrete_inputs);
    case Formula::kNone:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> FlopsTable::Of(StringId name, const OperatorDetail& detail) {
  auto join = [](uint32_t a, StringId b) { return uint64_t{a} << 32 | static_cast<uint32_t>(b); };
  // A formula uses the types or the concrete inputs, never both: which one follows from the name.
  const Formula formula = FormulaOf(trace_.Text(name));
  const StringId third = formula == Formula::kElementwise ? detail.input_types
                         : formula == Formula::kConv2d    ? detail.concrete_inputs
                                                          : kNoString;
  const uint32_t first_two =
      names_and_dims_.Number(join(static_cast<uint32_t>(name), detail.input_dims));
  const uint32_t number = combinations_.Number(join(first_two, third));
  if (number == flops_.size()) {
    flops_.push_back(Flops(trace_.Text(name), trace_.Text(detail.input_dims),
                           trace_.Text(detail.input_types), trace_.Text(detail.concrete_inputs)));
  }
  return flops_[number];
}

}  // namespace telltale
