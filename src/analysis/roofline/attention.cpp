// SPDX-License-Identifier: Apache-2.0
// Fused attention: two products over all pairs of a query and a key it may see, five backward
// (scores again, and the gradients of values, probabilities, queries and keys). Scores never leave
// the chip, so only queries, keys, values, the result and a bias are moved.
#include "analysis/roofline/formula.h"

#include <algorithm>
#include <array>

namespace telltale {

namespace {

enum class Layout : uint8_t {
  kHeadsFirst,     // [batch, heads, length, size]
  kSequenceFirst,  // [batch, length, heads, size]
};

struct Places {
  Layout layout = Layout::kHeadsFirst;
  size_t query = 0;  // keys and values follow
  size_t causal = 0;
  size_t bias = SIZE_MAX;     // that is added to the scores
  size_t lengths = SIZE_MAX;  // of sequences packed into one; such calls cannot be counted
};

// Pairs that a causal mask leaves: query i sees keys 0…i.
Count CausalPairs(int64_t queries, int64_t keys) {
  const int64_t triangle = std::min(queries, keys);
  Count pairs = Count(triangle) * (Count(triangle) + 1);
  const std::optional<int64_t> doubled = pairs.value();
  if (!doubled) return pairs;
  return Count(*doubled / 2) + Count(queries - triangle) * keys;
}

struct Attention {
  const Tensor* query = nullptr;
  const Tensor* key = nullptr;
  const Tensor* value = nullptr;
  Count pairs;  // over batch and heads
  int64_t size = 0;
  int64_t value_size = 0;
  Count result_elements;
};

std::optional<Attention> Read(const CallArguments& arguments, const Places& places) {
  Attention attention;
  attention.query = arguments.TensorAt(places.query);
  attention.key = arguments.TensorAt(places.query + 1);
  attention.value = arguments.TensorAt(places.query + 2);
  for (const Tensor* tensor : {attention.query, attention.key, attention.value}) {
    if (tensor == nullptr || tensor->rank() != 4) return std::nullopt;
  }
  if (places.lengths != SIZE_MAX && arguments.TensorAt(places.lengths) != nullptr) {
    return std::nullopt;
  }
  const std::optional<bool> causal = arguments.Flag(places.causal);
  if (!causal) return std::nullopt;
  const bool heads_first = places.layout == Layout::kHeadsFirst;
  const Shape& q = attention.query->shape;
  const int64_t heads = q[heads_first ? 1 : 2];
  const int64_t queries = q[heads_first ? 2 : 1];
  const int64_t keys = attention.key->shape[heads_first ? 2 : 1];
  if (queries < 0 || keys < 0) return std::nullopt;
  const Count pairs = *causal ? CausalPairs(queries, keys) : Count(queries) * keys;
  attention.pairs = Count(q[0]) * heads * pairs;
  attention.size = q[3];
  attention.value_size = attention.value->shape[3];
  attention.result_elements = Count(q[0]) * heads * queries * attention.value_size;
  return attention;
}

std::optional<CallWork> Forward(const CallArguments& arguments, const Places& places) {
  const std::optional<Attention> a = Read(arguments, places);
  if (!a) return std::nullopt;
  CallWork work;
  work.type = a->query->type;
  work.flops = Count(2) * a->pairs * (Count(a->size) + a->value_size);
  work.bytes = a->query->bytes() + a->key->bytes() + a->value->bytes() +
               a->result_elements * BytesOf(work.type);
  if (const Tensor* bias = arguments.TensorAt(places.bias)) work.bytes += bias->bytes();
  return work;
}

// The gradient of the result stands before the queries.
std::optional<CallWork> Backward(const CallArguments& arguments, const Places& places) {
  const std::optional<Attention> a = Read(arguments, places);
  if (!a) return std::nullopt;
  CallWork work;
  work.type = a->query->type;
  work.flops = Count(2) * a->pairs * (Count(3) * a->size + Count(2) * a->value_size);
  const Count inputs = a->query->bytes() + a->key->bytes() + a->value->bytes();
  const Count result = a->result_elements * BytesOf(work.type);
  work.bytes = Count(2) * inputs + Count(2) * result;
  if (const Tensor* bias = arguments.TensorAt(places.bias)) work.bytes += bias->bytes();
  return work;
}

template <Layout layout, size_t causal, size_t bias, size_t lengths>
std::optional<CallWork> ForwardAt(const CallArguments& arguments) {
  return Forward(arguments, {layout, 0, causal, bias, lengths});
}
template <Layout layout, size_t causal, size_t bias, size_t lengths>
std::optional<CallWork> BackwardAt(const CallArguments& arguments) {
  return Backward(arguments, {layout, 1, causal, bias, lengths});
}

constexpr size_t kNone = SIZE_MAX;
constexpr Layout kHeads = Layout::kHeadsFirst;
constexpr Layout kSequence = Layout::kSequenceFirst;
constexpr WorkFamily kFamily = WorkFamily::kAttention;
constexpr auto kFormulas = std::to_array<OperatorFormula>({
    {"aten::scaled_dot_product_attention", kFamily, ForwardAt<kHeads, 5, 3, kNone>, true},
    {"aten::_scaled_dot_product_flash_attention", kFamily, ForwardAt<kHeads, 4, kNone, kNone>},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", kFamily, ForwardAt<kHeads, 4, 5, kNone>},
    {"aten::_scaled_dot_product_efficient_attention", kFamily, ForwardAt<kHeads, 6, 3, kNone>},
    {"aten::_scaled_dot_product_cudnn_attention", kFamily, ForwardAt<kHeads, 6, 3, kNone>},
    {"aten::_flash_attention_forward", kFamily, ForwardAt<kSequence, 8, kNone, 3>},
    {"flash_attn::_flash_attn_forward", kFamily, ForwardAt<kSequence, 5, kNone, kNone>},
    {"aten::_scaled_dot_product_flash_attention_backward", kFamily,
     BackwardAt<kHeads, 11, kNone, 6>},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", kFamily,
     BackwardAt<kHeads, 7, 8, kNone>},
    {"aten::_scaled_dot_product_efficient_attention_backward", kFamily,
     BackwardAt<kHeads, 11, 4, kNone>},
    {"aten::_scaled_dot_product_cudnn_attention_backward", kFamily, BackwardAt<kHeads, 14, 8, 9>},
    {"aten::_flash_attention_backward", kFamily, BackwardAt<kSequence, 11, kNone, 6>},
    {"flash_attn::_flash_attn_backward", kFamily, BackwardAt<kSequence, 11, kNone, kNone>},
});

}  // namespace

FormulaList AttentionFormulas() { return {kFormulas.data(), kFormulas.size()}; }

}  // namespace telltale
