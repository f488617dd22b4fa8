// SPDX-License-Identifier: Apache-2.0
// Reductions and softmax. A reduction does one operation per element (2 for norms, 4 for variance)
// and writes one element per group; softmax does 5 per element, its backward 4.
#include "analysis/roofline/formula.h"

#include <array>

namespace telltale {

namespace {

// The number of results when the given axes are reduced; no axes: one.
std::optional<Count> Results(const Tensor& input, const std::vector<int64_t>& axes) {
  if (axes.empty()) return Count(1);
  std::vector<bool> reduced(input.rank());
  const auto rank = static_cast<int64_t>(input.rank());
  for (const int64_t axis : axes) {
    const int64_t place = axis < 0 ? axis + rank : axis;
    if (place < 0 || place >= rank) return std::nullopt;
    reduced[static_cast<size_t>(place)] = true;
  }
  Count results(1);
  for (size_t i = 0; i < input.rank(); ++i) {
    if (!reduced[i]) results *= input.shape[i];
  }
  return results;
}

struct Rule {
  size_t axes_at = 1;
  int64_t flops = 1;
  int64_t result_bytes = 0;         // 0: those of the input's type
  int64_t second_result_bytes = 0;  // of the second result: indices
};

// The axes are followed by at least one argument (keepdim); fewer arguments reduce all of them.
// Without the concrete inputs it is not known which axes are meant.
std::optional<CallWork> Reduce(const CallArguments& arguments, const Rule& rule) {
  const Tensor* input = arguments.TensorAt(0);
  if (input == nullptr) return std::nullopt;
  std::vector<int64_t> axes;
  if (arguments.size() > rule.axes_at + 1) {
    const std::string_view text = arguments.Text(rule.axes_at);
    if (!text.empty()) {
      const auto given = arguments.Integers(rule.axes_at);
      if (!given) return std::nullopt;
      axes = *given;
    } else if (!arguments.HasConcrete()) {
      return std::nullopt;
    }
  }
  const std::optional<Count> results = Results(*input, axes);
  if (!results) return std::nullopt;
  const int64_t result_bytes = rule.result_bytes != 0 ? rule.result_bytes : BytesOf(input->type);
  CallWork work;
  work.type = input->type;
  work.flops = input->elements() * rule.flops;
  work.bytes = input->bytes() + *results * (result_bytes + rule.second_result_bytes);
  return work;
}

std::optional<CallWork> Sum(const CallArguments& arguments) { return Reduce(arguments, {}); }
// max(self, dim): with an axis, values and indices; max(self) or max(self, other) otherwise.
std::optional<CallWork> Extreme(const CallArguments& arguments) {
  if (arguments.TensorAt(1) != nullptr) return std::nullopt;
  return Reduce(arguments, {.second_result_bytes = arguments.size() > 2 ? 8 : 0});
}
std::optional<CallWork> ArgExtreme(const CallArguments& arguments) {
  return Reduce(arguments, {.result_bytes = 8});
}
std::optional<CallWork> Truth(const CallArguments& arguments) {
  return Reduce(arguments, {.result_bytes = 1});
}
std::optional<CallWork> Variance(const CallArguments& arguments) {
  return Reduce(arguments, {.flops = 4});
}
// (self, order, axes, …)
std::optional<CallWork> Norm(const CallArguments& arguments) {
  return Reduce(arguments, {.axes_at = 2, .flops = 2});
}

// One result per element.
std::optional<CallWork> Running(const CallArguments& arguments, int64_t flops) {
  const Tensor* input = arguments.TensorAt(0);
  if (input == nullptr) return std::nullopt;
  return CallWork{input->elements() * flops, Count(2) * input->bytes(), input->type};
}
std::optional<CallWork> Cumulative(const CallArguments& arguments) { return Running(arguments, 1); }
// (input, axis, half_to_float)
std::optional<CallWork> Softmax(const CallArguments& arguments) {
  std::optional<CallWork> work = Running(arguments, 5);
  const Tensor* input = arguments.TensorAt(0);
  if (work && arguments.Flag(2).value_or(false)) work->bytes += input->elements() * 2;
  return work;
}
// (gradient, result, …)
std::optional<CallWork> SoftmaxBackward(const CallArguments& arguments) {
  std::optional<CallWork> work = Running(arguments, 4);
  const Tensor* result = arguments.TensorAt(1);
  if (!work || result == nullptr) return std::nullopt;
  work->bytes += result->bytes();
  return work;
}

constexpr WorkFamily kReduction = WorkFamily::kReduction;
constexpr WorkFamily kSoftmax = WorkFamily::kSoftmax;
constexpr auto kFormulas = std::to_array<OperatorFormula>({
    {"aten::sum", kReduction, Sum},
    {"aten::mean", kReduction, Sum},
    {"aten::prod", kReduction, Sum},
    {"aten::amax", kReduction, Sum},
    {"aten::amin", kReduction, Sum},
    {"aten::logsumexp", kReduction, Sum, true},
    {"aten::max", kReduction, Extreme},
    {"aten::min", kReduction, Extreme},
    {"aten::argmax", kReduction, ArgExtreme},
    {"aten::argmin", kReduction, ArgExtreme},
    {"aten::any", kReduction, Truth},
    {"aten::all", kReduction, Truth},
    {"aten::var", kReduction, Variance},
    {"aten::std", kReduction, Variance},
    {"aten::linalg_vector_norm", kReduction, Norm},
    {"aten::norm", kReduction, Norm, true},
    {"aten::cumsum", kReduction, Cumulative},
    {"aten::cumprod", kReduction, Cumulative},
    {"aten::_softmax", kSoftmax, Softmax},
    {"aten::_log_softmax", kSoftmax, Softmax},
    {"aten::_softmax_backward_data", kSoftmax, SoftmaxBackward},
    {"aten::_log_softmax_backward_data", kSoftmax, SoftmaxBackward},
});

}  // namespace

FormulaList ReductionFormulas() { return {kFormulas.data(), kFormulas.size()}; }

}  // namespace telltale
