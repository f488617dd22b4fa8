// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/step_rows.h"

namespace telltale {

std::string_view NameOf(StepCategory category) {
  static constexpr std::array<std::string_view, kStepCategoryCount> kNames = {
      "kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu_exec", "other"};
  return kNames[static_cast<size_t>(category)];
}

std::string_view NameOf(StepSource source) {
  switch (source) {
    case StepSource::kProfilerStep:
      return "ProfilerStep";
    case StepSource::kAnnotation:
      return "annotation";
    case StepSource::kWholeTrace:
      return "whole_trace";
  }
  return "whole_trace";
}

}  // namespace telltale
