// SPDX-License-Identifier: Apache-2.0
// Operators that only move data: what they read and what they write. No operations, except that the
// gradient of an embedding adds.
#include "analysis/roofline/formula.h"

#include <array>

namespace telltale {

namespace {

// copy_(to, from): each its own type, the source may be stretched.
std::optional<CallWork> Copy(const CallArguments& arguments) {
  const Tensor* to = arguments.TensorAt(0);
  const Tensor* from = arguments.TensorAt(1);
  if (to == nullptr || from == nullptr) return std::nullopt;
  return CallWork{0, to->bytes() + from->bytes(), to->type};
}

std::optional<CallWork> Fill(const CallArguments& arguments) {
  const Tensor* to = arguments.TensorAt(0);
  if (to == nullptr) return std::nullopt;
  return CallWork{0, to->bytes(), to->type};
}

// The shapes of a list of tensors are not always captured.
std::optional<CallWork> Cat(const CallArguments& arguments) {
  const std::vector<Tensor>& parts = arguments.ListAt(0);
  if (parts.empty()) return std::nullopt;
  CallWork work;
  work.type = parts.front().type;
  for (const Tensor& part : parts) work.bytes += Count(2) * part.bytes();
  return work;
}

// embedding(weight, indices): reads the rows it needs, not the table.
std::optional<CallWork> Embedding(const CallArguments& arguments) {
  const Tensor* weight = arguments.TensorAt(0);
  const Tensor* indices = arguments.TensorAt(1);
  if (weight == nullptr || indices == nullptr || weight->rank() != 2) return std::nullopt;
  const Count row = Count(weight->shape[1]) * BytesOf(weight->type);
  return CallWork{0, indices->bytes() + Count(2) * indices->elements() * row, weight->type};
}

// embedding_dense_backward(gradient, indices, rows, …)
std::optional<CallWork> EmbeddingBackward(const CallArguments& arguments) {
  const Tensor* gradient = arguments.TensorAt(0);
  const Tensor* indices = arguments.TensorAt(1);
  const auto rows = arguments.Integer(2);
  if (gradient == nullptr || indices == nullptr || !rows || gradient->rank() == 0) {
    return std::nullopt;
  }
  const Count table = Count(*rows) * gradient->shape.back() * BytesOf(gradient->type);
  return CallWork{gradient->elements(), gradient->bytes() + indices->bytes() + table,
                  gradient->type};
}

// index_select(self, axis, index)
std::optional<CallWork> IndexSelect(const CallArguments& arguments) {
  const Tensor* self = arguments.TensorAt(0);
  const Tensor* index = arguments.TensorAt(2);
  const auto axis = arguments.Integer(1);
  if (self == nullptr || index == nullptr || !axis) return std::nullopt;
  const auto rank = static_cast<int64_t>(self->rank());
  const int64_t place = *axis < 0 ? *axis + rank : *axis;
  if (place < 0 || place >= rank) return std::nullopt;
  Count taken = index->elements() * BytesOf(self->type);
  for (int64_t i = 0; i < rank; ++i) {
    if (i != place) taken *= self->shape[static_cast<size_t>(i)];
  }
  return CallWork{0, index->bytes() + Count(2) * taken, self->type};
}

// gather(self, axis, index)
std::optional<CallWork> Gather(const CallArguments& arguments) {
  const Tensor* self = arguments.TensorAt(0);
  const Tensor* index = arguments.TensorAt(2);
  if (self == nullptr || index == nullptr) return std::nullopt;
  return CallWork{0, index->bytes() + Count(2) * index->elements() * BytesOf(self->type),
                  self->type};
}

constexpr auto kFormulas = std::to_array<OperatorFormula>({
    {"aten::copy_", WorkFamily::kCopy, Copy},
    {"aten::fill_", WorkFamily::kCopy, Fill},
    {"aten::zero_", WorkFamily::kCopy, Fill, true},
    {"aten::cat", WorkFamily::kCopy, Cat},
    {"aten::embedding", WorkFamily::kEmbedding, Embedding},
    {"aten::embedding_dense_backward", WorkFamily::kEmbedding, EmbeddingBackward},
    {"aten::index_select", WorkFamily::kEmbedding, IndexSelect},
    {"aten::gather", WorkFamily::kEmbedding, Gather},
});

}  // namespace

FormulaList DataFormulas() { return {kFormulas.data(), kFormulas.size()}; }

}  // namespace telltale
