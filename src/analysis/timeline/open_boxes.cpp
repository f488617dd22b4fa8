// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/open_boxes.h"

#include <algorithm>
#include <tuple>

namespace telltale {

namespace {

bool NestsBefore(const SpanTable& spans, SpanRow a, SpanRow b) {
  return std::tuple(spans.start_ns[a], -spans.duration_ns[a], a) <
         std::tuple(spans.start_ns[b], -spans.duration_ns[b], b);
}

}  // namespace

std::vector<SpanRow> OpenBoxes(const Trace& trace, const FileRows& rows, const PlacedTrack& track,
                               int64_t time_ns) {
  std::vector<SpanRow> open;
  for (uint32_t depth = 0; depth < track.row_count; ++depth) {
    const BoxRow& row = rows.boxes.rows[track.first_row + depth];
    if (row.piled) continue;
    const uint32_t at = rows.boxes.OpenAt(row, TimesOf(trace), time_ns);
    if (at < row.count) open.push_back(rows.boxes.items[row.first + at]);
  }
  std::sort(open.begin(), open.end(),
            [&](SpanRow a, SpanRow b) { return NestsBefore(trace.spans, a, b); });
  return open;
}

SpanRow InnermostAt(const Trace& trace, const FileRows& rows, TrackId track, int64_t time_ns) {
  for (const TrackPart part : {TrackPart::kThread, TrackPart::kStream, TrackPart::kPython}) {
    const uint32_t number = rows.of_track[static_cast<size_t>(track)][static_cast<size_t>(part)];
    if (number == kNoRow) continue;
    const std::vector<SpanRow> open = OpenBoxes(trace, rows, rows.tracks[number], time_ns);
    if (!open.empty()) return open.back();
  }
  return kNoRow;
}

std::vector<SpanRow> ParentsOf(const Trace& trace, const FileRows& rows, SpanRow row) {
  const SpanTable& spans = trace.spans;
  const PlacedTrack& track = rows.tracks[rows.TrackOf(trace, row)];
  std::vector<SpanRow> parents;
  if (track.part == TrackPart::kStream) return parents;
  const std::vector<SpanRow> open = OpenBoxes(trace, rows, track, spans.start_ns[row]);
  SpanRow inner = row;
  for (size_t i = open.size(); i-- > 0;) {
    if (!NestsBefore(spans, open[i], inner) || spans.end_ns(open[i]) < spans.end_ns(inner)) {
      continue;
    }
    parents.push_back(open[i]);
    inner = open[i];
  }
  return parents;
}

}  // namespace telltale
