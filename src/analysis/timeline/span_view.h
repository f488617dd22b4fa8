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

#include "analysis/core/context.h"
#include "analysis/timeline/index.h"
#include "base/column.h"

namespace telltale {

struct ViewRange {
  int64_t start_ns = 0;  // since the timeline's origin
  int64_t end_ns = 0;    // after start
  uint32_t width = 1;    // pixels, at least 1
};

// Which part of a view that is too large for one answer.
struct SpanPart {
  uint64_t skip = 0;             // spans before it
  size_t most_bytes = SIZE_MAX;  // as encode.h writes it; one span is in it whatever that takes
};

struct SpanView {
  // As encode.h writes them.
  static constexpr size_t kHeadBytes = 6 * sizeof(uint32_t);
  static constexpr size_t kRowBytes = 4 * sizeof(uint32_t);
  static constexpr size_t kSpanBytes = 2 * sizeof(double) + 3 * sizeof(uint32_t) + 1;

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
  uint32_t skipped = 0;            // spans of the view before these
  uint32_t total = 0;              // spans of the view

  [[nodiscard]] size_t size() const { return start_ns.size(); }
};

// A power of two times 1, 5/4, 3/2 or 7/4: the greatest that is not above a pixel, at least 1.
[[nodiscard]] int64_t QuantumOf(const ViewRange& range);

// `tracks` are numbers of existing tracks; curves show nothing. Parts that follow each other are
// together the whole view; a row may be in two of them.
[[nodiscard]] SpanView ViewSpans(std::span<const TraceContext> contexts, const TimelineIndex& index,
                                 const ViewRange& range, std::span<const uint32_t> tracks,
                                 const SpanPart& part = {});

}  // namespace telltale
