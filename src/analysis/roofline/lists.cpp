// SPDX-License-Identifier: Apache-2.0
// Operators over lists of tensors: aten::_foreach_… treats each tensor as the operator of that name
// would, the fused optimizers read and write parameters and their state once. Shapes and types of
// the tensors in a list must have been captured (torch 2.1 and later do so where asked to).
#include "analysis/roofline/formula.h"

#include <array>
#include <cstddef>

namespace telltale {

namespace {

Count ElementsOf(const std::vector<Tensor>& list) {
  Count elements;
  for (const Tensor& tensor : list) elements += tensor.elements();
  return elements;
}
Count BytesOf(const std::vector<Tensor>& list) {
  Count bytes;
  for (const Tensor& tensor : list) bytes += tensor.bytes();
  return bytes;
}

// The first list decides the result; other operands are lists as long, single tensors or numbers.
template <size_t operands, int64_t flops>
std::optional<CallWork> Each(const CallArguments& arguments) {
  const std::vector<Tensor>& first = arguments.ListAt(0);
  if (first.empty()) return std::nullopt;
  CallWork work;
  work.type = first.front().type;
  work.flops = ElementsOf(first) * flops;
  work.bytes = Count(2) * BytesOf(first);  // read, and written as the result
  for (size_t i = 1; i < operands; ++i) {
    const std::vector<Tensor>& list = arguments.ListAt(i);
    if (!list.empty() && list.size() != first.size()) return std::nullopt;
    work.bytes += BytesOf(list);
    if (const Tensor* tensor = arguments.TensorAt(i)) work.bytes += tensor->bytes();
  }
  return work;
}

// _foreach_copy_(to, from)
std::optional<CallWork> EachCopy(const CallArguments& arguments) {
  const std::vector<Tensor>& to = arguments.ListAt(0);
  const std::vector<Tensor>& from = arguments.ListAt(1);
  if (to.empty() || from.size() != to.size()) return std::nullopt;
  return CallWork{0, BytesOf(to) + BytesOf(from), to.front().type};
}

std::optional<CallWork> EachZero(const CallArguments& arguments) {
  const std::vector<Tensor>& to = arguments.ListAt(0);
  if (to.empty()) return std::nullopt;
  return CallWork{0, BytesOf(to), to.front().type};
}

// One number for each tensor.
std::optional<CallWork> EachNorm(const CallArguments& arguments) {
  const std::vector<Tensor>& list = arguments.ListAt(0);
  if (list.empty()) return std::nullopt;
  CallWork work{Count(2) * ElementsOf(list), BytesOf(list), list.front().type};
  for (const Tensor& tensor : list) work.bytes += BytesOf(tensor.type);
  return work;
}

// (parameters, gradients, state …): all are read, parameters and state are written. `state`: how
// many lists of state there may be, each as long as that of the parameters or empty.
template <size_t state, int64_t flops, int64_t flops_without_state>
std::optional<CallWork> Optimizer(const CallArguments& arguments) {
  const std::vector<Tensor>& parameters = arguments.ListAt(0);
  const std::vector<Tensor>& gradients = arguments.ListAt(1);
  if (parameters.empty() || gradients.size() != parameters.size()) return std::nullopt;
  CallWork work;
  work.type = parameters.front().type;
  work.bytes = Count(2) * BytesOf(parameters) + BytesOf(gradients);
  bool has_state = false;
  for (size_t i = 2; i < 2 + state; ++i) {
    const std::vector<Tensor>& list = arguments.ListAt(i);
    if (list.empty()) continue;
    if (list.size() != parameters.size()) return std::nullopt;
    has_state = true;
    work.bytes += Count(2) * BytesOf(list);
  }
  work.flops = ElementsOf(parameters) * (has_state ? flops : flops_without_state);
  return work;
}

constexpr WorkFamily kFamily = WorkFamily::kElementwise;
constexpr auto kFormulas = std::to_array<OperatorFormula>({
    {"aten::_foreach_abs", kFamily, Each<1, 1>},
    {"aten::_foreach_ceil", kFamily, Each<1, 1>},
    {"aten::_foreach_exp", kFamily, Each<1, 1>},
    {"aten::_foreach_floor", kFamily, Each<1, 1>},
    {"aten::_foreach_log", kFamily, Each<1, 1>},
    {"aten::_foreach_neg", kFamily, Each<1, 1>},
    {"aten::_foreach_reciprocal", kFamily, Each<1, 1>},
    {"aten::_foreach_round", kFamily, Each<1, 1>},
    {"aten::_foreach_rsqrt", kFamily, Each<1, 1>},
    {"aten::_foreach_sigmoid", kFamily, Each<1, 1>},
    {"aten::_foreach_sign", kFamily, Each<1, 1>},
    {"aten::_foreach_sqrt", kFamily, Each<1, 1>},
    {"aten::_foreach_tanh", kFamily, Each<1, 1>},
    {"aten::_foreach_trunc", kFamily, Each<1, 1>},

    {"aten::_foreach_add", kFamily, Each<2, 1>},
    {"aten::_foreach_clamp_max", kFamily, Each<2, 1>},
    {"aten::_foreach_clamp_min", kFamily, Each<2, 1>},
    {"aten::_foreach_div", kFamily, Each<2, 1>},
    {"aten::_foreach_maximum", kFamily, Each<2, 1>},
    {"aten::_foreach_minimum", kFamily, Each<2, 1>},
    {"aten::_foreach_mul", kFamily, Each<2, 1>},
    {"aten::_foreach_pow", kFamily, Each<2, 1>},
    {"aten::_foreach_sub", kFamily, Each<2, 1>},

    {"aten::_foreach_addcdiv", kFamily, Each<3, 3>},
    {"aten::_foreach_addcmul", kFamily, Each<3, 3>},
    {"aten::_foreach_lerp", kFamily, Each<3, 3>},

    {"aten::_foreach_norm", WorkFamily::kReduction, EachNorm},
    {"aten::_foreach_copy", WorkFamily::kCopy, EachCopy},
    {"aten::_foreach_zero", WorkFamily::kCopy, EachZero},

    // Momentum 3, variance 4, its root and correction 3, the step 3. State: both averages, and the
    // largest variances where asked for.
    {"aten::_fused_adam", kFamily, Optimizer<3, 13, 13>},
    {"aten::_fused_adamw", kFamily, Optimizer<3, 13, 13>},
    // Momentum 2, the step 2.
    {"aten::_fused_sgd", kFamily, Optimizer<1, 4, 2>},
    // The sum of squares 2, its root 2, the step 3.
    {"aten::_fused_adagrad", kFamily, Optimizer<1, 7, 7>},
});

}  // namespace

FormulaList ListFormulas() { return {kFormulas.data(), kFormulas.size()}; }

}  // namespace telltale
