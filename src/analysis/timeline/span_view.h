// SPDX-License-Identifier: Apache-2.0
// What some tracks show of a stretch of time at some width: for each row its boxes, narrow
// neighbours as one block with their number and the longest of them. Nothing is left out: over a
// track's whole time the numbers sum to its spans.
//
// Spans are merged that are narrower than a quantum (a pixel, rounded down to one of four steps for
// each doubling) and begin in the same multiple of it. What is merged with what therefore depends
// on the zoom alone, and a picture stands still when it is moved.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/context.h"
#include "analysis/timeline/index.h"
#include "base/column.h"

namespace telltale {

struct ViewRange {
  int64_t start_ns = 0;  // since the timeline's origin
  int64_t end_ns = 0;    // after start
  uint32_t width = 1;    // pixels, at least 1
};

struct SpanView {
  struct Row {
    uint32_t track = 0;
    uint32_t depth = 0;
    uint32_t first = 0;
    uint32_t count = 0;
  };
  std::vector<Row> rows;
  Column<double> start_ns;  // since the timeline's origin
  Column<double> duration_ns;
  Column<uint32_t> event;  // row of the longest event in its file, kNoRow: none
  Column<uint32_t> count;
  Column<uint32_t> name;  // into names
  Column<uint8_t> category;
  std::vector<std::string> names;  // shortened

  [[nodiscard]] size_t size() const { return start_ns.size(); }
};

// A power of two times 1, 5/4, 3/2 or 7/4: the greatest that is not above a pixel, at least 1.
[[nodiscard]] int64_t QuantumOf(const ViewRange& range);

// `tracks` are numbers of existing tracks; curves show nothing.
[[nodiscard]] SpanView ViewSpans(std::span<const TraceContext> contexts, const TimelineIndex& index,
                                 const ViewRange& range, std::span<const uint32_t> tracks);

}  // namespace telltale
