// SPDX-License-Identifier: Apache-2.0
// Which category of a step each event belongs to, and the division of time among the categories.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/intervals.h"
#include "analysis/core/name_facts.h"
#include "analysis/core/step_rows.h"
#include "model/trace.h"

namespace telltale {

// None for a step's own event, and for annotations that only name what runs inside them.
[[nodiscard]] std::optional<StepCategory> CategoryOfHostEvent(const Trace& trace,
                                                              const NameFacts& facts, SpanRow row);

// Divides intervals among the categories; ask in order of time.
class StepPartition {
 public:
  StepPartition(const Trace& trace, const HostTree& tree, const DeviceLinks& links,
                const NameFacts& facts);

  // Appends to `other`, where given, when no category applies.
  [[nodiscard]] StepTimes Divide(const Interval& step, IntervalSet* other = nullptr);

 private:
  static constexpr size_t kCovered = kStepCategoryCount - 1;  // all but kOther
  static_assert(static_cast<size_t>(StepCategory::kOther) == kCovered,
                "what no set covers falls to the last category");

  std::array<IntervalSet, kCovered> sets_;
  std::array<size_t, kCovered> at_ = {};
};

}  // namespace telltale
