// SPDX-License-Identifier: Apache-2.0
// What a user may ask of the analyses of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace telltale {

enum class OperatorGrouping : uint8_t { kName, kShape, kStack };
enum class KernelGrouping : uint8_t {
  kName,
  kLaunch
};  // kLaunch: name + operator + launch configuration

struct AnalysisOptions {
  OperatorGrouping operators = OperatorGrouping::kName;
  KernelGrouping kernels = KernelGrouping::kName;
  std::string step_annotation;        // regular expression; empty: ProfilerStep#N
  std::optional<int64_t> first_step;  // --steps FIRST..LAST, by step number (or 1-based position
  std::optional<int64_t> last_step;   // where the names hold no number)
  std::string inside;                 // regular expression: only inside ranges of such names
  bool like_torch = false;            // operators by the rules of torch's own key_averages
  unsigned threads = 0;               // 0: as many as the machine has

  friend bool operator==(const AnalysisOptions&, const AnalysisOptions&) = default;
};

}  // namespace telltale
