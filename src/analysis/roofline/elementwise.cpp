// SPDX-License-Identifier: Apache-2.0
// Operators that treat each element by itself: one operation per element of the result, whatever
// the function (3 for multiply-and-add forms, none where values are only chosen); every tensor
// operand is read once, the result written once.
#include "analysis/roofline/formula.h"

#include <algorithm>
#include <array>

namespace telltale {

namespace {

// The shape that the operands are stretched to; nullopt if they do not fit.
std::optional<Shape> Broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {  // from the last axis
    const int64_t size_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t size_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) return std::nullopt;
    result[result.size() - 1 - i] = size_a == 1 ? size_b : size_a;
  }
  return result;
}

// Which of two operands decides the type of the result: complex over real, real over integer,
// integer over bool, then the wider one; a single number only if its kind is higher.
int KindOf(NumberType type) {
  switch (type) {
    case NumberType::kComplex64:
    case NumberType::kComplex128:
      return 3;
    case NumberType::kFp64:
    case NumberType::kFp32:
    case NumberType::kFp16:
    case NumberType::kBf16:
    case NumberType::kFp8:
      return 2;
    case NumberType::kBool:
      return 0;
    default:
      return 1;
  }
}
NumberType Promote(const Tensor& a, const Tensor& b) {
  if (KindOf(a.type) != KindOf(b.type)) return KindOf(a.type) > KindOf(b.type) ? a.type : b.type;
  if ((a.rank() == 0) != (b.rank() == 0)) return a.rank() == 0 ? b.type : a.type;
  return BytesOf(a.type) >= BytesOf(b.type) ? a.type : b.type;
}

struct Rule {
  size_t first = 0;  // operands at first … first + operands - 1
  size_t operands = 1;
  int64_t flops = 1;   // per element of the result
  bool truth = false;  // the result is true or false
};

std::optional<CallWork> Apply(const CallArguments& arguments, const Rule& rule) {
  std::optional<Tensor> result;
  CallWork work;
  for (size_t i = rule.first; i < rule.first + rule.operands; ++i) {
    if (arguments.IsUnknownTensor(i)) return std::nullopt;
    const Tensor* operand = arguments.TensorAt(i);
    if (operand == nullptr) continue;
    work.bytes += operand->bytes();
    if (!result) {
      result = *operand;
      continue;
    }
    const std::optional<Shape> shape = Broadcast(result->shape, operand->shape);
    if (!shape) return std::nullopt;
    result->type = Promote(*result, *operand);
    result->shape = *shape;
  }
  if (!result) return std::nullopt;
  if (arguments.in_place() && arguments.TensorAt(0) != nullptr) result = *arguments.TensorAt(0);
  work.type = result->type;
  work.flops = result->elements() * rule.flops;
  const bool truth = rule.truth && !arguments.in_place();
  work.bytes += truth ? result->elements() : result->bytes();
  return work;
}

std::optional<CallWork> Unary(const CallArguments& arguments) { return Apply(arguments, {}); }
std::optional<CallWork> UnaryTruth(const CallArguments& arguments) {
  return Apply(arguments, {.truth = true});
}
std::optional<CallWork> Binary(const CallArguments& arguments) {
  return Apply(arguments, {.operands = 2});
}
std::optional<CallWork> BinaryTruth(const CallArguments& arguments) {
  return Apply(arguments, {.operands = 2, .truth = true});
}
std::optional<CallWork> Fused(const CallArguments& arguments) {
  return Apply(arguments, {.operands = 3, .flops = 3});
}
// where(condition, a, b): the result has the type of the values.
std::optional<CallWork> Where(const CallArguments& arguments) {
  return Apply(arguments, {.operands = 3, .flops = 0});
}
std::optional<CallWork> MaskedFill(const CallArguments& arguments) {
  return Apply(arguments, {.operands = 2, .flops = 0});
}
// mse_loss(input, target, reduction): one number, unless the reduction is 0.
std::optional<CallWork> Loss(const CallArguments& arguments) {
  std::optional<CallWork> work = Apply(arguments, {.operands = 2, .flops = 3});
  const Tensor* input = arguments.TensorAt(0);
  if (!work || input == nullptr || !arguments.HasConcrete()) return std::nullopt;
  if (arguments.Text(2) == "0") return work;
  work->bytes = arguments.BytesOfTensors(0, 2) + BytesOf(input->type);
  return work;
}
// mse_loss_backward(grad, self, target): the gradient may be one number.
std::optional<CallWork> LossBackward(const CallArguments& arguments) {
  return Apply(arguments, {.operands = 3, .flops = 3});
}

// native_dropout(input, p, train): the mask is a second result.
std::optional<CallWork> Dropout(const CallArguments& arguments) {
  std::optional<CallWork> work = Apply(arguments, {.flops = 2});
  if (work) work->bytes += arguments.TensorAt(0)->elements();
  return work;
}
std::optional<CallWork> DropoutBackward(const CallArguments& arguments) {
  return Apply(arguments, {.operands = 2, .flops = 2});
}

constexpr WorkFamily kFamily = WorkFamily::kElementwise;
constexpr auto kFormulas = std::to_array<OperatorFormula>({
    {"aten::abs", kFamily, Unary},
    {"aten::acos", kFamily, Unary},
    {"aten::asin", kFamily, Unary},
    {"aten::atan", kFamily, Unary},
    {"aten::bernoulli", kFamily, Unary},
    {"aten::bitwise_not", kFamily, Unary},
    {"aten::ceil", kFamily, Unary},
    {"aten::celu", kFamily, Unary},
    {"aten::clamp", kFamily, Unary},
    {"aten::clamp_max", kFamily, Unary},
    {"aten::clamp_min", kFamily, Unary},
    {"aten::cos", kFamily, Unary},
    {"aten::elu", kFamily, Unary},
    {"aten::erf", kFamily, Unary},
    {"aten::exp", kFamily, Unary},
    {"aten::exp2", kFamily, Unary},
    {"aten::expm1", kFamily, Unary},
    {"aten::floor", kFamily, Unary},
    {"aten::frac", kFamily, Unary},
    {"aten::gelu", kFamily, Unary},
    {"aten::hardsigmoid", kFamily, Unary},
    {"aten::hardswish", kFamily, Unary},
    {"aten::hardtanh", kFamily, Unary},
    {"aten::leaky_relu", kFamily, Unary},
    {"aten::log", kFamily, Unary},
    {"aten::log10", kFamily, Unary},
    {"aten::log1p", kFamily, Unary},
    {"aten::log2", kFamily, Unary},
    {"aten::log_sigmoid_forward", kFamily, Unary},
    {"aten::mish", kFamily, Unary},
    {"aten::neg", kFamily, Unary},
    {"aten::reciprocal", kFamily, Unary},
    {"aten::relu", kFamily, Unary, true},
    {"aten::round", kFamily, Unary},
    {"aten::rsqrt", kFamily, Unary},
    {"aten::sigmoid", kFamily, Unary},
    {"aten::sign", kFamily, Unary},
    {"aten::silu", kFamily, Unary},
    {"aten::sin", kFamily, Unary},
    {"aten::softplus", kFamily, Unary},
    {"aten::sqrt", kFamily, Unary},
    {"aten::tan", kFamily, Unary},
    {"aten::tanh", kFamily, Unary},
    {"aten::threshold", kFamily, Unary},
    {"aten::tril", kFamily, Unary},
    {"aten::triu", kFamily, Unary},
    {"aten::trunc", kFamily, Unary},
    {"aten::isinf", kFamily, UnaryTruth, true},
    {"aten::isnan", kFamily, UnaryTruth, true},
    {"aten::logical_not", kFamily, UnaryTruth},

    {"aten::add", kFamily, Binary},
    {"aten::atan2", kFamily, Binary},
    {"aten::bitwise_and", kFamily, Binary},
    {"aten::bitwise_or", kFamily, Binary},
    {"aten::bitwise_xor", kFamily, Binary},
    {"aten::div", kFamily, Binary},
    {"aten::floor_divide", kFamily, Binary},
    {"aten::fmod", kFamily, Binary},
    {"aten::maximum", kFamily, Binary},
    {"aten::minimum", kFamily, Binary},
    {"aten::mse_loss", kFamily, Loss},
    {"aten::mul", kFamily, Binary},
    {"aten::pow", kFamily, Binary},
    {"aten::remainder", kFamily, Binary},
    {"aten::rsub", kFamily, Binary, true},
    {"aten::sub", kFamily, Binary},
    {"aten::elu_backward", kFamily, Binary},
    {"aten::gelu_backward", kFamily, Binary},
    {"aten::hardswish_backward", kFamily, Binary},
    {"aten::hardtanh_backward", kFamily, Binary},
    {"aten::leaky_relu_backward", kFamily, Binary},
    {"aten::sigmoid_backward", kFamily, Binary},
    {"aten::silu_backward", kFamily, Binary},
    {"aten::softplus_backward", kFamily, Binary},
    {"aten::tanh_backward", kFamily, Binary},
    {"aten::threshold_backward", kFamily, Binary},
    {"aten::eq", kFamily, BinaryTruth},
    {"aten::ge", kFamily, BinaryTruth},
    {"aten::gt", kFamily, BinaryTruth},
    {"aten::le", kFamily, BinaryTruth},
    {"aten::logical_and", kFamily, BinaryTruth},
    {"aten::logical_or", kFamily, BinaryTruth},
    {"aten::logical_xor", kFamily, BinaryTruth},
    {"aten::lt", kFamily, BinaryTruth},
    {"aten::ne", kFamily, BinaryTruth},

    {"aten::addcdiv", kFamily, Fused},
    {"aten::addcmul", kFamily, Fused},
    {"aten::lerp", kFamily, Fused},
    {"aten::mse_loss_backward", kFamily, LossBackward},
    {"aten::masked_fill", kFamily, MaskedFill},
    {"aten::where", kFamily, Where},
    {"aten::native_dropout", kFamily, Dropout},
    {"aten::native_dropout_backward", kFamily, DropoutBackward},
});

}  // namespace

FormulaList ElementwiseFormulas() { return {kFormulas.data(), kFormulas.size()}; }

}  // namespace telltale
