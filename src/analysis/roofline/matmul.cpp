// SPDX-License-Identifier: Apache-2.0
// Products of matrices: 2·M·N·K operations, one more per element of the result where a matrix or
// bias is added; each operand is read once, the result written once.
#include "analysis/roofline/formula.h"

#include <algorithm>
#include <array>

namespace telltale {

namespace {

struct Product {
  Count batch = 1;
  Count m = 1;
  Count n = 1;
  Count k = 1;

  [[nodiscard]] Count results() const { return batch * m * n; }
  [[nodiscard]] Count flops() const { return Count(2) * results() * k; }
};

std::optional<CallWork> WorkOfProduct(const Product& product, const Tensor& a, const Tensor& b,
                                      const Tensor* added, std::optional<NumberType> result = {}) {
  CallWork work;
  work.type = a.type;
  work.flops = product.flops();
  work.bytes = a.bytes() + b.bytes() + product.results() * BytesOf(result.value_or(a.type));
  if (added != nullptr) {
    work.flops += product.results();
    work.bytes += added->bytes();
  }
  return work;
}

// [M, K] x [K, N] at `first`, what is added before them.
std::optional<CallWork> Matrices(const CallArguments& arguments, size_t first, const Tensor* added,
                                 std::optional<NumberType> result = {}) {
  const Tensor* a = arguments.TensorAt(first);
  const Tensor* b = arguments.TensorAt(first + 1);
  if (a == nullptr || b == nullptr || a->rank() != 2 || b->rank() != 2) return std::nullopt;
  if (a->shape[1] != b->shape[0]) return std::nullopt;
  return WorkOfProduct({1, a->shape[0], b->shape[1], a->shape[1]}, *a, *b, added, result);
}

std::optional<CallWork> Mm(const CallArguments& arguments) {
  return Matrices(arguments, 0, nullptr);
}

// beta = 0 leaves the added matrix out.
const Tensor* Added(const CallArguments& arguments, size_t beta) {
  return arguments.Text(beta) == "0" ? nullptr : arguments.TensorAt(0);
}

std::optional<CallWork> Addmm(const CallArguments& arguments) {
  return Matrices(arguments, 1, Added(arguments, 3));
}

// Products of 8-bit numbers with scales; the result is wider.
std::optional<CallWork> ScaledMm(const CallArguments& arguments) {
  return Matrices(arguments, 0, nullptr, NumberType::kBf16);
}
std::optional<CallWork> IntMm(const CallArguments& arguments) {
  return Matrices(arguments, 0, nullptr, NumberType::kInt32);
}

std::optional<CallWork> Batched(const CallArguments& arguments, size_t first, const Tensor* added) {
  const Tensor* a = arguments.TensorAt(first);
  const Tensor* b = arguments.TensorAt(first + 1);
  if (a == nullptr || b == nullptr || a->rank() != 3 || b->rank() != 3) return std::nullopt;
  if (a->shape[2] != b->shape[1] || a->shape[0] != b->shape[0]) return std::nullopt;
  return WorkOfProduct({a->shape[0], a->shape[1], b->shape[2], a->shape[2]}, *a, *b, added);
}
std::optional<CallWork> Bmm(const CallArguments& arguments) {
  return Batched(arguments, 0, nullptr);
}
std::optional<CallWork> Baddbmm(const CallArguments& arguments) {
  return Batched(arguments, 1, Added(arguments, 3));
}

std::optional<CallWork> MatrixVector(const CallArguments& arguments, size_t first,
                                     const Tensor* added) {
  const Tensor* a = arguments.TensorAt(first);
  const Tensor* b = arguments.TensorAt(first + 1);
  if (a == nullptr || b == nullptr || a->rank() != 2 || b->rank() != 1) return std::nullopt;
  return WorkOfProduct({1, a->shape[0], 1, a->shape[1]}, *a, *b, added);
}
std::optional<CallWork> Mv(const CallArguments& arguments) {
  return MatrixVector(arguments, 0, nullptr);
}
std::optional<CallWork> Addmv(const CallArguments& arguments) {
  return MatrixVector(arguments, 1, Added(arguments, 3));
}
std::optional<CallWork> Dot(const CallArguments& arguments) {
  const Tensor* a = arguments.TensorAt(0);
  const Tensor* b = arguments.TensorAt(1);
  if (a == nullptr || b == nullptr || a->rank() != 1 || b->rank() != 1) return std::nullopt;
  return WorkOfProduct({1, 1, 1, a->shape[0]}, *a, *b, nullptr);
}

// [..., K] x [N, K]ᵀ and a bias.
std::optional<CallWork> Linear(const CallArguments& arguments) {
  const Tensor* a = arguments.TensorAt(0);
  const Tensor* b = arguments.TensorAt(1);
  if (a == nullptr || b == nullptr || a->rank() == 0 || b->rank() != 2) return std::nullopt;
  if (a->shape.back() != b->shape[1]) return std::nullopt;
  const Shape rows(a->shape.begin(), a->shape.end() - 1);
  return WorkOfProduct({1, Elements(rows), b->shape[0], b->shape[1]}, *a, *b,
                       arguments.TensorAt(2));
}

// Vectors count as matrices of one row or column; the axes before the last two are matched like
// those of elementwise operators.
std::optional<CallWork> Matmul(const CallArguments& arguments) {
  const Tensor* a = arguments.TensorAt(0);
  const Tensor* b = arguments.TensorAt(1);
  if (a == nullptr || b == nullptr || a->rank() == 0 || b->rank() == 0) return std::nullopt;
  Product product;
  product.k = a->shape.back();
  if (a->rank() > 1) product.m = a->shape[a->rank() - 2];
  if (b->rank() > 1) product.n = b->shape.back();
  const size_t batch_a = a->rank() > 2 ? a->rank() - 2 : 0;
  const size_t batch_b = b->rank() > 2 ? b->rank() - 2 : 0;
  for (size_t i = 0; i < std::max(batch_a, batch_b); ++i) {
    const int64_t size_a = i < batch_a ? a->shape[batch_a - 1 - i] : 1;
    const int64_t size_b = i < batch_b ? b->shape[batch_b - 1 - i] : 1;
    product.batch *= size_a == 1 ? size_b : size_a;
  }
  return WorkOfProduct(product, *a, *b, nullptr);
}

constexpr WorkFamily kFamily = WorkFamily::kMatmul;
constexpr auto kFormulas = std::to_array<OperatorFormula>({
    {"aten::mm", kFamily, Mm},
    {"aten::addmm", kFamily, Addmm},
    {"aten::_addmm_activation", kFamily, Addmm},
    {"aten::bmm", kFamily, Bmm},
    {"aten::baddbmm", kFamily, Baddbmm},
    {"aten::mv", kFamily, Mv},
    {"aten::addmv", kFamily, Addmv},
    {"aten::dot", kFamily, Dot},
    {"aten::_scaled_mm", kFamily, ScaledMm},
    {"aten::_int_mm", kFamily, IntMm},
    {"aten::linear", kFamily, Linear, true},
    {"aten::matmul", kFamily, Matmul, true},
    {"aiter::gemm_a16w16", kFamily, Linear, true},
    {"vllm::rocm_unquantized_gemm", kFamily, Linear, true},
});

}  // namespace

FormulaList MatmulFormulas() { return {kFormulas.data(), kFormulas.size()}; }

}  // namespace telltale
