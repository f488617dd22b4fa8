// SPDX-License-Identifier: Apache-2.0
// Normalisations. Operations per element: forward 5 (mean, variance, difference, scale, shift), 2
// with given statistics, RMS 4; backward 9, RMS 8 and 2 more for the gradient of the weight. Every
// tensor among the arguments is read once, every result written once; saved statistics of single
// rows or channels are not counted.
#include "analysis/roofline/formula.h"

#include <array>

namespace telltale {

namespace {

std::optional<CallWork> Forward(const CallArguments& arguments, int64_t flops_per_element) {
  const Tensor* input = arguments.TensorAt(0);
  if (input == nullptr) return std::nullopt;
  CallWork work;
  work.type = input->type;
  work.flops = input->elements() * flops_per_element;
  work.bytes = arguments.BytesOfTensors(0, arguments.size()) + input->bytes();
  return work;
}

// (input, weight, bias, running_mean, running_var, training, …): running statistics are updated
// while training and used otherwise.
std::optional<CallWork> BatchNorm(const CallArguments& arguments) {
  const bool training = arguments.Flag(5).value_or(true);
  std::optional<CallWork> work = Forward(arguments, training ? 5 : 2);
  if (work && training) work->bytes += arguments.BytesOfTensors(3, 5);
  return work;
}
// Where the flag says that the input's own statistics are used, like training.
std::optional<CallWork> InstanceNorm(const CallArguments& arguments) {
  return BatchNorm(arguments);
}
std::optional<CallWork> LayerNorm(const CallArguments& arguments) { return Forward(arguments, 5); }
std::optional<CallWork> RmsNorm(const CallArguments& arguments) { return Forward(arguments, 4); }

// aiter::rmsnorm(out, input, weight, eps)
std::optional<CallWork> RmsNormInto(const CallArguments& arguments) {
  const Tensor* input = arguments.TensorAt(1);
  if (input == nullptr) return std::nullopt;
  return CallWork{input->elements() * 4, arguments.BytesOfTensors(0, arguments.size()),
                  input->type};
}

// Reads all tensors; writes the gradient of the input and, where the mask asks for them, those of
// weight and bias, which have the weight's shape.
std::optional<CallWork> Backward(const CallArguments& arguments, size_t input_at, size_t weight_at,
                                 std::optional<size_t> mask_at, int64_t flops_per_element,
                                 int64_t flops_per_weighted_element) {
  const Tensor* input = arguments.TensorAt(input_at);
  if (input == nullptr) return std::nullopt;
  CallWork work;
  work.type = input->type;
  work.bytes = arguments.BytesOfTensors(0, arguments.size()) + input->bytes();
  int64_t flops = flops_per_element;
  const Tensor* weight = arguments.TensorAt(weight_at);
  const auto mask = mask_at ? arguments.Flags(*mask_at) : std::nullopt;
  bool weighted = false;
  for (const size_t i : {1U, 2U}) {
    const bool wanted = mask ? i < mask->size() && (*mask)[i] : weight != nullptr;
    if (!wanted) continue;
    if (weight != nullptr) work.bytes += weight->bytes();
    weighted = true;
  }
  if (weighted) flops += flops_per_weighted_element;
  work.flops = input->elements() * flops;
  return work;
}

std::optional<CallWork> BatchNormBackward(const CallArguments& arguments) {
  return Backward(arguments, 1, 2, 9, 9, 0);
}
std::optional<CallWork> LibraryBatchNormBackward(const CallArguments& arguments) {
  return Backward(arguments, 0, 2, std::nullopt, 9, 0);
}
std::optional<CallWork> LayerNormBackward(const CallArguments& arguments) {
  return Backward(arguments, 1, 5, 7, 9, 0);
}
std::optional<CallWork> GroupNormBackward(const CallArguments& arguments) {
  return Backward(arguments, 1, 4, 9, 9, 0);
}
std::optional<CallWork> RmsNormBackward(const CallArguments& arguments) {
  return Backward(arguments, 1, 4, 5, 8, 2);
}

constexpr WorkFamily kFamily = WorkFamily::kNormalization;
constexpr auto kFormulas = std::to_array<OperatorFormula>({
    {"aten::batch_norm", kFamily, BatchNorm},
    {"aten::_batch_norm_impl_index", kFamily, BatchNorm},
    {"aten::native_batch_norm", kFamily, BatchNorm},
    {"aten::cudnn_batch_norm", kFamily, BatchNorm},
    {"aten::miopen_batch_norm", kFamily, BatchNorm},
    {"aten::instance_norm", kFamily, InstanceNorm},
    {"aten::layer_norm", kFamily, LayerNorm},
    {"aten::native_layer_norm", kFamily, LayerNorm},
    {"aten::group_norm", kFamily, LayerNorm},
    {"aten::native_group_norm", kFamily, LayerNorm},
    {"aten::rms_norm", kFamily, RmsNorm, true},
    {"aten::_fused_rms_norm", kFamily, RmsNorm},
    {"aiter::rms_norm", kFamily, RmsNorm},
    {"aiter::rmsnorm", kFamily, RmsNormInto},
    {"aten::native_batch_norm_backward", kFamily, BatchNormBackward},
    {"aten::cudnn_batch_norm_backward", kFamily, LibraryBatchNormBackward},
    {"aten::miopen_batch_norm_backward", kFamily, LibraryBatchNormBackward},
    {"aten::native_layer_norm_backward", kFamily, LayerNormBackward},
    {"aten::native_group_norm_backward", kFamily, GroupNormBackward},
    {"aten::_fused_rms_norm_backward", kFamily, RmsNormBackward},
});

}  // namespace

FormulaList NormalizationFormulas() { return {kFormulas.data(), kFormulas.size()}; }

}  // namespace telltale
