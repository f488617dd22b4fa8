// SPDX-License-Identifier: Apache-2.0
// Which kernels run on tensor cores (NVIDIA) or matrix cores (AMD MFMA), and which operators could,
// both told from their names. The one table of rules is in the source file, each with an example;
// docs/ tensor_cores.md shows it to users. A name that proves nothing answers no.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace telltale {

[[nodiscard]] bool UsesTensorCores(std::string_view kernel_name);
// Operators whose work is a matrix product or convolution, so that tensor cores could do it given
// the right data type and shape. An overload suffix (aten::mm.out) does not matter.
[[nodiscard]] bool IsTensorCoreEligible(std::string_view operator_name);

enum class NameMatch : uint8_t {
  kContains,  // anywhere, case matters
  kAnyCase,   // anywhere, case does not matter
  kWord,  // where a word begins: not after a letter or underscore (a digit may be a mangled length)
  kTriton,    // at the start of a name that is a bare identifier: how Triton kernels appear
  kMmaShape,  // digits of an MMA shape between a type letter and the kernel's kind: s16816gemm
};

struct TensorCoreRule {
  bool uses_tensor_cores;
  NameMatch match;
  std::string_view pattern;
  std::string_view also;     // a second text that must appear anywhere; empty: none
  std::string_view origin;   // architecture or library
  std::string_view example;  // a name of that kind, long ones cut
};

// In order: the first rule that matches a name decides.
[[nodiscard]] std::span<const TensorCoreRule> TensorCoreRules();

}  // namespace telltale
