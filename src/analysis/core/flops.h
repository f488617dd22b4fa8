// SPDX-License-Identifier: Apache-2.0
// Floating-point operations of an operator call by the formulas of torch's profiler (with_flops),
// from the captured shapes: aten::mm, addmm, bmm, baddbmm, add, mul, conv2d. A multiply-add counts
// as two.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/core/key_numbers.h"
#include "model/trace.h"

namespace telltale {

// An overload suffix is ignored: aten::add.Tensor is aten::add.
[[nodiscard]] bool HasFlopsFormula(std::string_view operator_name);

// The arguments are the JSON texts of Input Dims, Input type and Concrete Inputs. nullopt: no
// formula for this name, or the texts lack what the formula needs.
[[nodiscard]] std::optional<int64_t> Flops(std::string_view operator_name,
                                           std::string_view input_dims,
                                           std::string_view input_types,
                                           std::string_view concrete_inputs);

// The same for many calls: each distinct combination of name and texts is read once.
class FlopsTable {
 public:
  explicit FlopsTable(const Trace& trace) : trace_(trace) {}
  [[nodiscard]] std::optional<int64_t> Of(StringId name, const OperatorDetail& detail);

 private:
  const Trace& trace_;
  KeyNumbers names_and_dims_;
  KeyNumbers combinations_;
  std::vector<std::optional<int64_t>> flops_;  // by combination
};

}  // namespace telltale
