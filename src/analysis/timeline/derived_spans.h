// SPDX-License-Identifier: Apache-2.0
// Boxes that are no events of the file: its steps, and the pieces of the critical path. Times as in
// the file, so that they are drawn on the same clock as its spans.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/distributed/alignment.h"
#include "analysis/timeline/box_rows.h"
#include "analysis/timeline/categories.h"
#include "base/column.h"

namespace telltale {

struct DerivedSpans {
  Column<int64_t> start_ns;
  Column<int64_t> duration_ns;
  Column<SpanRow> event;  // what it stands for; kNoRow: no single event
  Column<uint32_t> name;  // into names
  Column<TimelineCategory> category;
  std::vector<std::string> names;
  BoxRows boxes;

  [[nodiscard]] size_t size() const { return start_ns.size(); }
  [[nodiscard]] BoxTimes times() const { return {start_ns.data(), duration_ns.data()}; }
  [[nodiscard]] size_t memory_bytes() const;
};

// The steps as reports count them: with the device work they wait for. None where the whole trace
// is one step.
[[nodiscard]] DerivedSpans StepSpans(const TraceContext& context);

// For each file its part of the critical path.
[[nodiscard]] std::vector<DerivedSpans> CriticalPathSpans(std::span<const TraceContext> contexts,
                                                          const Alignment& alignment);

}  // namespace telltale
