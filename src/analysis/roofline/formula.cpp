// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/formula.h"

#include <array>
#include <unordered_map>

namespace telltale {

namespace {

const OperatorFormula* Find(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const OperatorFormula*> formulas;
    for (const FormulaList& list :
         {MatmulFormulas(), ConvolutionFormulas(), AttentionFormulas(), NormalizationFormulas(),
          ElementwiseFormulas(), ReductionFormulas(), DataFormulas(), ListFormulas()}) {
      for (size_t i = 0; i < list.second; ++i) {
        formulas.emplace(list.first[i].name, list.first + i);
      }
    }
    return formulas;
  }();
  const auto at = table.find(name);
  return at == table.end() ? nullptr : at->second;
}

// Every tensor of a fused kernel crosses the bus at least once, in one direction.
std::optional<CallWork> Fused(const CallArguments& arguments) {
  const Tensor* first = arguments.TensorAt(0);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments.IsUnknownTensor(i)) return std::nullopt;
    if (first == nullptr) first = arguments.TensorAt(i);
  }
  if (first == nullptr) return std::nullopt;
  return CallWork{0, arguments.BytesOfTensors(0, arguments.size()), first->type};
}

// Pointwise, reduction, persistent reduction and horizontally fused kernels of torch.compile; not
// its templates (triton_tem_), which compute products.
constexpr auto kFusedFormulas = std::to_array<OperatorFormula>({
    {"triton_poi_fused_", WorkFamily::kFused, Fused},
    {"triton_red_fused_", WorkFamily::kFused, Fused},
    {"triton_per_fused_", WorkFamily::kFused, Fused},
    {"triton_for_fused_", WorkFamily::kFused, Fused},
});

}  // namespace

std::string_view NameOf(WorkFamily family) {
  switch (family) {
    case WorkFamily::kMatmul:
      return "matmul";
    case WorkFamily::kConvolution:
      return "convolution";
    case WorkFamily::kAttention:
      return "attention";
    case WorkFamily::kNormalization:
      return "normalization";
    case WorkFamily::kElementwise:
      return "elementwise";
    case WorkFamily::kReduction:
      return "reduction";
    case WorkFamily::kSoftmax:
      return "softmax";
    case WorkFamily::kEmbedding:
      return "embedding";
    case WorkFamily::kCopy:
      return "copy";
    case WorkFamily::kFused:
      return "fused";
  }
  return "";
}

const OperatorFormula* FormulaFor(std::string_view operator_name) {
  std::string_view name = operator_name.substr(0, operator_name.find('.'));
  if (const OperatorFormula* exact = Find(name)) return exact;
  if (name.ends_with('_') && !name.ends_with("__")) {
    name.remove_suffix(1);
    return Find(name);
  }
  for (const OperatorFormula& formula : kFusedFormulas) {
    if (name.starts_with(formula.name)) return &formula;
  }
  return nullptr;
}

}  // namespace telltale
