// SPDX-License-Identifier: Apache-2.0
// Convolutions of any rank: 2 operations per weight that meets an element of the result (of the
// input, if transposed); input, weight and result are moved once. Backward, each gradient asked for
// costs as much as the forward product.
#include "analysis/roofline/formula.h"

#include <array>

namespace telltale {

namespace {

using Sizes = std::vector<int64_t>;

struct Parameters {
  std::optional<Sizes> stride;
  std::optional<Sizes> padding;
  std::optional<Sizes> dilation;
  bool transposed = false;
  std::optional<Sizes> output_padding;
};

// One number stands for all axes.
int64_t At(const Sizes& sizes, size_t axis) {
  return sizes.size() == 1 ? sizes.front() : sizes[axis];
}
bool Fits(const std::optional<Sizes>& sizes, size_t axes) {
  return sizes && (sizes->size() == 1 || sizes->size() == axes);
}

int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// The result's shape, [N, channels, ...]; nullopt where the numbers make no sense.
std::optional<Shape> ResultShape(const Tensor& input, const Tensor& weight,
                                 const Parameters& parameters, int64_t groups) {
  const size_t axes = weight.rank() - 2;
  if (!Fits(parameters.stride, axes) || !Fits(parameters.padding, axes) ||
      !Fits(parameters.dilation, axes)) {
    return std::nullopt;
  }
  constexpr int64_t kLargest = int64_t{1} << 30;  // keeps the arithmetic inside 64 bits
  const auto sensible = [](int64_t value) { return value >= 0 && value <= kLargest; };
  if (!sensible(groups) || groups == 0) return std::nullopt;
  Shape result = {input.shape[0],
                  parameters.transposed ? weight.shape[1] * groups : weight.shape[0]};
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t size = input.shape[2 + axis];
    const int64_t kernel = weight.shape[2 + axis];
    const int64_t stride = At(*parameters.stride, axis);
    const int64_t padding = At(*parameters.padding, axis);
    const int64_t dilation = At(*parameters.dilation, axis);
    const int64_t extra = parameters.transposed && Fits(parameters.output_padding, axes)
                              ? At(*parameters.output_padding, axis)
                              : 0;
    for (const int64_t value : {size, kernel, stride, padding, dilation, extra}) {
      if (!sensible(value)) return std::nullopt;
    }
    if (stride == 0) return std::nullopt;
    const int64_t reach = dilation * (kernel - 1);
    result.push_back(parameters.transposed
                         ? (size - 1) * stride - 2 * padding + reach + extra + 1
                         : FloorDivide(size + 2 * padding - reach - 1, stride) + 1);
  }
  return result;
}

bool IsConvolution(const Tensor* input, const Tensor* weight) {
  return input != nullptr && weight != nullptr && weight->rank() >= 3 &&
         input->rank() == weight->rank();
}

// 2 x elements x weights that each meets.
Count ProductFlops(const Shape& input, const Shape& result, const Tensor& weight, bool transposed) {
  Count flops = Count(2) * Elements(transposed ? input : result);
  for (size_t i = 1; i < weight.rank(); ++i) flops *= weight.shape[i];
  return flops;
}

std::optional<CallWork> Forward(const CallArguments& arguments, const Parameters& parameters,
                                const Tensor* bias, std::optional<int64_t> groups) {
  const Tensor* input = arguments.TensorAt(0);
  const Tensor* weight = arguments.TensorAt(1);
  if (!IsConvolution(input, weight) || !groups) return std::nullopt;
  const std::optional<Shape> result = ResultShape(*input, *weight, parameters, *groups);
  if (!result) return std::nullopt;
  CallWork work;
  work.type = input->type;
  work.flops = ProductFlops(input->shape, *result, *weight, parameters.transposed);
  work.bytes = input->bytes() + weight->bytes() + Elements(*result) * BytesOf(input->type);
  if (bias != nullptr) {
    work.flops += Elements(*result);
    work.bytes += bias->bytes();
  }
  return work;
}

// (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
std::optional<CallWork> Convolution(const CallArguments& arguments) {
  const Parameters parameters{arguments.Integers(3), arguments.Integers(4), arguments.Integers(5),
                              arguments.Flag(6).value_or(false), arguments.Integers(7)};
  return Forward(arguments, parameters, arguments.TensorAt(2), arguments.Integer(8));
}
// (input, weight, bias, stride, padding, dilation, groups)
std::optional<CallWork> PlainConvolution(const CallArguments& arguments) {
  const Parameters parameters{arguments.Integers(3), arguments.Integers(4), arguments.Integers(5),
                              false, std::nullopt};
  return Forward(arguments, parameters, arguments.TensorAt(2), arguments.Integer(6));
}
// (input, weight, bias, padding, stride, dilation, groups)
std::optional<CallWork> LibraryConvolution(const CallArguments& arguments) {
  const Parameters parameters{arguments.Integers(4), arguments.Integers(3), arguments.Integers(5),
                              false, std::nullopt};
  return Forward(arguments, parameters, arguments.TensorAt(2), arguments.Integer(6));
}
// (input, weight, padding, stride, dilation, groups)
std::optional<CallWork> CudnnConvolution(const CallArguments& arguments) {
  const Parameters parameters{arguments.Integers(3), arguments.Integers(2), arguments.Integers(4),
                              false, std::nullopt};
  return Forward(arguments, parameters, nullptr, arguments.Integer(5));
}

// Which gradients are asked for, of input, weight and bias.
using Gradients = std::array<bool, 3>;

// All shapes are given, so of the values only the flags matter.
std::optional<CallWork> Backward(const Tensor* gradient, const Tensor* input, const Tensor* weight,
                                 bool transposed, const Gradients& wanted) {
  if (!IsConvolution(input, weight) || gradient == nullptr) return std::nullopt;
  const Count product = ProductFlops(input->shape, gradient->shape, *weight, transposed);
  const Count moved = gradient->bytes() + input->bytes() + weight->bytes();
  CallWork work;
  work.type = gradient->type;
  for (const size_t i : {0U, 1U}) {  // the gradients of input and weight
    if (!wanted[i]) continue;
    work.flops += product;
    work.bytes += moved;
  }
  if (wanted[2]) {
    work.flops += gradient->elements();
    work.bytes += Count(gradient->rank() > 1 ? gradient->shape[1] : 0) * BytesOf(gradient->type);
    if (!wanted[0] && !wanted[1]) work.bytes += gradient->bytes();
  }
  return work;
}

std::optional<Gradients> GradientsAt(const CallArguments& arguments, size_t i) {
  const auto flags = arguments.Flags(i);
  if (!flags || flags->size() < 2) return std::nullopt;
  return Gradients{(*flags)[0], (*flags)[1], flags->size() > 2 && (*flags)[2]};
}

// (grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
// groups, output_mask)
std::optional<CallWork> ConvolutionBackward(const CallArguments& arguments) {
  const std::optional<Gradients> wanted = GradientsAt(arguments, 10);
  if (!wanted) return std::nullopt;
  return Backward(arguments.TensorAt(0), arguments.TensorAt(1), arguments.TensorAt(2),
                  arguments.Flag(7).value_or(false), *wanted);
}

// (input, grad_output, weight, …, output_mask), up to torch 1.10, which captures no values: then
// both gradients are taken to be asked for, as in all convolutions of a network but the first.
template <size_t mask>
std::optional<CallWork> LibraryBackward(const CallArguments& arguments) {
  std::optional<Gradients> wanted = GradientsAt(arguments, mask);
  if (!wanted) {
    if (arguments.HasConcrete()) return std::nullopt;
    wanted = Gradients{true, true, false};
  }
  return Backward(arguments.TensorAt(1), arguments.TensorAt(0), arguments.TensorAt(2), false,
                  *wanted);
}

// A tensor of which only the sizes are an argument.
std::optional<Tensor> SizedAt(const CallArguments& arguments, size_t i, const Tensor* like) {
  const auto sizes = arguments.Integers(i);
  if (!sizes || like == nullptr) return std::nullopt;
  return Tensor{*sizes, like->type};
}

// (input_size, grad_output, weight, …)
std::optional<CallWork> BackwardInput(const CallArguments& arguments) {
  const std::optional<Tensor> input = SizedAt(arguments, 0, arguments.TensorAt(1));
  if (!input) return std::nullopt;
  return Backward(arguments.TensorAt(1), &*input, arguments.TensorAt(2), false,
                  {true, false, false});
}

// (weight_size, grad_output, input, …)
std::optional<CallWork> BackwardWeight(const CallArguments& arguments) {
  const std::optional<Tensor> weight = SizedAt(arguments, 0, arguments.TensorAt(1));
  if (!weight) return std::nullopt;
  return Backward(arguments.TensorAt(1), arguments.TensorAt(2), &*weight, false,
                  {false, true, false});
}

// (grad_output)
std::optional<CallWork> BackwardBias(const CallArguments& arguments) {
  const Tensor* gradient = arguments.TensorAt(0);
  if (gradient == nullptr || gradient->rank() < 2) return std::nullopt;
  return CallWork{gradient->elements(),
                  gradient->bytes() + Count(gradient->shape[1]) * BytesOf(gradient->type),
                  gradient->type};
}

constexpr WorkFamily kFamily = WorkFamily::kConvolution;
constexpr auto kFormulas = std::to_array<OperatorFormula>({
    {"aten::convolution", kFamily, Convolution},
    {"aten::_convolution", kFamily, Convolution},
    {"aten::cudnn_convolution", kFamily, CudnnConvolution},
    {"aten::miopen_convolution", kFamily, LibraryConvolution},
    {"aten::mkldnn_convolution", kFamily, LibraryConvolution},
    {"aten::conv1d", kFamily, PlainConvolution, true},
    {"aten::conv2d", kFamily, PlainConvolution, true},
    {"aten::conv3d", kFamily, PlainConvolution, true},
    {"aten::convolution_backward", kFamily, ConvolutionBackward},
    {"aten::cudnn_convolution_backward", kFamily, LibraryBackward<10>},
    {"aten::cudnn_convolution_backward_input", kFamily, BackwardInput},
    {"aten::cudnn_convolution_backward_weight", kFamily, BackwardWeight},
    {"aten::miopen_convolution_backward", kFamily, LibraryBackward<9>},
    {"aten::miopen_convolution_backward_input", kFamily, BackwardInput},
    {"aten::miopen_convolution_backward_weight", kFamily, BackwardWeight},
    {"aten::miopen_convolution_backward_bias", kFamily, BackwardBias},
});

}  // namespace

FormulaList ConvolutionFormulas() { return {kFormulas.data(), kFormulas.size()}; }

}  // namespace telltale
