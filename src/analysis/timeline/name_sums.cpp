// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/name_sums.h"

#include "base/cancel.h"
#include "base/parallel.h"

namespace telltale {

namespace {

// The sums of a row's whole stretches.
struct RowSums {
  std::vector<NameSum> sums;
  std::vector<uint32_t> counts;  // by stretch
};

RowSums SumRow(const Trace& trace, std::span<const TimelineCategory> categories,
               const FileRows& rows, std::span<const BoxRow> track, size_t number, bool nested) {
  const BoxRows& boxes = rows.boxes;
  const BoxTimes times = TimesOf(trace);
  const BoxRow& row = track[number];
  RowSums result;
  SumsByName sums;
  const uint32_t stretches = row.piled ? 0 : row.count / StretchSums::kStretch;
  for (uint32_t stretch = 0; stretch < stretches; ++stretch) {
    StopIfCanceled();
    const uint32_t* const items =
        boxes.items.data() + row.first + size_t{stretch} * StretchSums::kStretch;
    RowBelow below(boxes, times, RowBelowOf(track, number, nested), times.start(items[0]));
    sums.Clear();
    for (uint32_t i = 0; i < StretchSums::kStretch; ++i) {
      const SpanRow span = items[i];
      const int64_t duration = times.duration(span);
      const int64_t covered = below.Covered(times.start(span), times.end(span));
      sums.Add({static_cast<uint32_t>(trace.spans.name[span]), categories[span]},
               {1, duration, duration - covered});
      if (sums.entries().size() > StretchSums::kMostNames) break;
    }
    const bool kept = sums.entries().size() <= StretchSums::kMostNames;
    result.counts.push_back(kept ? static_cast<uint32_t>(sums.entries().size()) : 0);
    if (!kept) continue;
    for (const SumsByName::Entry& entry : sums.entries()) {
      result.sums.push_back({StringId{entry.key.name}, static_cast<uint16_t>(entry.sums.count),
                             entry.key.category, entry.sums.total_ns, entry.sums.self_ns});
    }
  }
  return result;
}

}  // namespace

StretchSums SumStretches(const Trace& trace, std::span<const TimelineCategory> categories,
                         const FileRows& rows, unsigned threads) {
  std::vector<RowSums> of_rows(rows.boxes.rows.size());
  std::vector<const PlacedTrack*> track_of(rows.boxes.rows.size());
  for (const PlacedTrack& track : rows.tracks) {
    for (uint32_t i = 0; i < track.row_count; ++i) track_of[track.first_row + i] = &track;
  }
  ForEachOnThreads(threads, of_rows.size(), [&](size_t i) {
    const PlacedTrack& track = *track_of[i];
    of_rows[i] = SumRow(trace, categories, rows,
                        std::span(rows.boxes.rows).subspan(track.first_row, track.row_count),
                        i - track.first_row, track.part != TrackPart::kStream);
  });
  StretchSums result;
  size_t size = 0;
  for (const RowSums& row : of_rows) size += row.sums.size();
  result.sums.reserve(size);
  result.first_stretch.reserve(of_rows.size());
  result.first_sum.push_back(0);
  for (RowSums& row : of_rows) {
    result.first_stretch.push_back(static_cast<uint32_t>(result.first_sum.size() - 1));
    for (const uint32_t count : row.counts) {
      result.first_sum.push_back(result.first_sum.back() + count);
    }
    result.sums.append(row.sums.data(), row.sums.size());
    row = {};
  }
  return result;
}

}  // namespace telltale
