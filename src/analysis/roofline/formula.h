// SPDX-License-Identifier: Apache-2.0
// What one call of an operator has to do at least: floating-point operations and bytes moved to and
// from memory, from the captured shapes, types and values. One file per family of operators holds
// the formulas; docs/analyses/roofline.md states them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/core/call_arguments.h"

namespace telltale {

enum class WorkFamily : uint8_t {
  kMatmul,
  kConvolution,
  kAttention,
  kNormalization,
  kElementwise,
  kReduction,
  kSoftmax,
  kEmbedding,
  kCopy,
  kFused,  // kernels that a compiler made of several operators: bytes only
};
constexpr size_t kWorkFamilyCount = 10;
[[nodiscard]] std::string_view NameOf(WorkFamily family);
// Work that tensor or matrix cores can do.
[[nodiscard]] constexpr bool IsMatrixWork(WorkFamily family) {
  return family == WorkFamily::kMatmul || family == WorkFamily::kConvolution ||
         family == WorkFamily::kAttention;
}

// Whether the operations are counted; else 0 stands for not known.
[[nodiscard]] constexpr bool CountsFlops(WorkFamily family) { return family != WorkFamily::kFused; }

// What a formula returns.
struct CallWork {
  Count flops;
  Count bytes;
  NumberType type = NumberType::kFp32;  // of the inputs: which peak applies
};

using WorkFormula = std::optional<CallWork> (*)(const CallArguments& arguments);

struct OperatorFormula {
  std::string_view name;  // without an overload suffix
  WorkFamily family = WorkFamily::kElementwise;
  WorkFormula work = nullptr;
  // Calls another operator that has a formula, usually: counts only where it does not.
  bool wrapper = false;
};

// nullptr: no formula. Kernels of torch.compile count by the beginning of their names
// (triton_poi_fused_…). An overload suffix is ignored (aten::add.Tensor), and so is the underscore
// of an operator that works in place (aten::add_).
[[nodiscard]] const OperatorFormula* FormulaFor(std::string_view operator_name);

// By family, for FormulaFor.
using FormulaList = std::pair<const OperatorFormula*, size_t>;
[[nodiscard]] FormulaList MatmulFormulas();
[[nodiscard]] FormulaList ConvolutionFormulas();
[[nodiscard]] FormulaList AttentionFormulas();
[[nodiscard]] FormulaList NormalizationFormulas();
[[nodiscard]] FormulaList ElementwiseFormulas();
[[nodiscard]] FormulaList ReductionFormulas();
[[nodiscard]] FormulaList DataFormulas();
[[nodiscard]] FormulaList ListFormulas();

}  // namespace telltale
