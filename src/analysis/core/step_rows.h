// SPDX-License-Identifier: Apache-2.0
// A step as it is shown: how long it took and what the time went to. The rows are made in steps.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
  // The step's own range on the host, which may differ from the step: its start may have to wait
  // for work from before, and device work may go on behind its end. None: it has no range.
  std::optional<int64_t> range_ns;
  int64_t starts_late_ns = 0;  // by so much after the range does
  int64_t ends_late_ns = 0;
  StepTimes categories = {};
  uint64_t device_events = 0;  // launched inside the step
  uint32_t file = 0;           // index into the report's files
};

enum class StepSource : uint8_t { kProfilerStep, kAnnotation, kWholeTrace };
[[nodiscard]] std::string_view NameOf(StepSource source);

// What the host was in while nothing of the other categories ran.
enum class OtherKind : uint8_t {
  kAnnotation,   // a range of the user's
  kPython,       // a function
  kOperatorGap,  // nothing that was traced, between two operators of the step
  kUnknown,      // nothing that was traced, elsewhere
};
[[nodiscard]] std::string_view NameOf(OtherKind kind);

// A part of StepCategory::kOther; work/other_inside.h finds them.
struct OtherRow {
  std::string what;  // as the trace calls it
  OtherKind kind = OtherKind::kUnknown;
  int64_t ns = 0;                // in an average step
  int64_t total_ns = 0;          // in all complete steps
  int64_t longest_ns = 0;        // without a break
  int64_t longest_start_ns = 0;  // of that, since 1970 where the trace knows
  uint32_t file = 0;             // of that
};

// Merges rows that are the same, sets their averages over that many steps so that they add up to
// the average of all, and puts the largest first.
void SetOtherAverages(int64_t steps, std::vector<OtherRow>& rows);

struct StepReport {
  StepSource source = StepSource::kWholeTrace;
  int64_t average_ns = 0;  // over complete steps
  StepTimes average = {};
  std::optional<int64_t> range_ns;  // of the average step, where each has one
  int64_t starts_late_ns = 0;       // of the average step
  int64_t ends_late_ns = 0;
  std::vector<OtherRow> other_inside;  // of the average step
  std::vector<StepRow> rows;
};

}  // namespace telltale
