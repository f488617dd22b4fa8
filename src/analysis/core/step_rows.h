// SPDX-License-Identifier: Apache-2.0
// A step as it is shown: how long it took and what the time went to. The rows are made in steps.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

// In the order of precedence: where several apply to a moment, the first wins.
enum class StepCategory : uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kRuntime,
  kDataloader,
  kCpuExec,
  kOther,
};
constexpr size_t kStepCategoryCount = 8;
[[nodiscard]] std::string_view NameOf(StepCategory category);

using StepTimes = std::array<int64_t, kStepCategoryCount>;  // ns, indexed by StepCategory

struct StepRow {
  std::string name;
  int64_t start_ns = 0;  // since 1970 where the trace knows, else as written
  int64_t duration_ns = 0;
  bool complete = true;
  StepTimes categories = {};
  uint64_t device_events = 0;  // launched inside the step
  uint32_t file = 0;           // index into the report's files
};

enum class StepSource : uint8_t { kProfilerStep, kAnnotation, kWholeTrace };
[[nodiscard]] std::string_view NameOf(StepSource source);

struct StepReport {
  StepSource source = StepSource::kWholeTrace;
  int64_t average_ns = 0;  // over complete steps
  StepTimes average = {};
  std::vector<StepRow> rows;
};

}  // namespace telltale
