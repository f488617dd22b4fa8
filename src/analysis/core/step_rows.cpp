// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/step_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/core/sums.h"

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

std::string_view NameOf(OtherKind kind) {
  switch (kind) {
    case OtherKind::kAnnotation:
      return "annotation";
    case OtherKind::kPython:
      return "python";
    case OtherKind::kOperatorGap:
      return "operator_gap";
    case OtherKind::kUnknown:
      break;
  }
  return "unknown";
}

void SetOtherAverages(int64_t steps, std::vector<OtherRow>& rows) {
  const auto key = [](const OtherRow& row) { return std::tie(row.what, row.kind); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const OtherRow& a, const OtherRow& b) { return key(a) < key(b); });
  std::vector<OtherRow> merged;
  for (OtherRow& row : rows) {
    if (merged.empty() || key(merged.back()) != key(row)) {
      merged.push_back(std::move(row));
      continue;
    }
    OtherRow& sum = merged.back();
    AddTo(sum.total_ns, row.total_ns);
    if (row.longest_ns <= sum.longest_ns) continue;
    sum.longest_ns = row.longest_ns;
    sum.longest_start_ns = row.longest_start_ns;
    sum.file = row.file;
  }
  std::stable_sort(merged.begin(), merged.end(),
                   [](const OtherRow& a, const OtherRow& b) { return a.total_ns > b.total_ns; });
  // Each is the mean of all up to it less the mean of all before it.
  int64_t total_ns = 0;
  int64_t given_ns = 0;
  for (OtherRow& row : merged) {
    AddTo(total_ns, row.total_ns);
    row.ns = Difference(Mean(total_ns, steps), given_ns);
    AddTo(given_ns, row.ns);
  }
  std::stable_sort(merged.begin(), merged.end(), [](const OtherRow& a, const OtherRow& b) {
    return std::tie(b.ns, b.total_ns) < std::tie(a.ns, a.total_ns);
  });
  rows = std::move(merged);
}

}  // namespace telltale
