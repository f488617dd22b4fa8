// SPDX-License-Identifier: Apache-2.0
// Every span of a trace in its place: which track shows it, on which row of that track. Host events
// lie below the event that contains them; one that only partly overlaps others goes to the next
// free row, so boxes of a row never overlap and none is left out. Events of a stream are stacked:
// the first free row, kernels and copies first, waits and everything else below them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/timeline/box_rows.h"
#include "analysis/timeline/busy_marks.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

// The tracks that one thread or stream of the file can have.
enum class TrackPart : uint8_t { kThread, kPython, kStream, kAnnotations };
constexpr size_t kTrackPartCount = 4;

struct PlacedTrack {
  TrackId track{0};
  TrackPart part = TrackPart::kThread;
  uint32_t first_row = 0;  // in FileRows::boxes.rows
  uint32_t row_count = 0;
  uint32_t first_item = 0;  // in FileRows::boxes.items
  uint32_t span_count = 0;
  int64_t first_ns = 0;  // as in the file
  int64_t last_ns = 0;
  std::vector<BusyMark> busy;
};

struct FileRows {
  BoxRows boxes;           // items are rows of Trace::spans
  Column<uint16_t> depth;  // by span: its row within its track
  std::vector<PlacedTrack> tracks;
  // By TrackId and TrackPart: into tracks; kNoRow: no such spans.
  std::vector<std::array<uint32_t, kTrackPartCount>> of_track;
  // By TrackId and Category: where spans of that kind are.
  std::vector<std::array<TrackPart, kCategoryCount>> part_of;

  [[nodiscard]] uint32_t TrackOf(const Trace& trace, SpanRow row) const {
    const auto track = static_cast<size_t>(trace.spans.track[row]);
    const auto category = static_cast<size_t>(trace.spans.category[row]);
    return of_track[track][static_cast<size_t>(part_of[track][category])];
  }
  [[nodiscard]] size_t memory_bytes() const;
};

[[nodiscard]] inline BoxTimes TimesOf(const Trace& trace) {
  return {trace.spans.start_ns.data(), trace.spans.duration_ns.data()};
}

[[nodiscard]] FileRows PlaceInRows(const Trace& trace, unsigned threads);

}  // namespace telltale
