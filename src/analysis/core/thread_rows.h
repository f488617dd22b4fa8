// SPDX-License-Identifier: Apache-2.0
// The spans of some kind, gathered by thread and put into the order that nesting.h wants: by start,
// then longer first, then file order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/core/sort_runs.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

// Rows [first, last) of a table that is ordered by track.
struct HostThread {
  TrackId track;
  uint32_t first = 0;
  uint32_t last = 0;
};

// Appends the rows for which `wanted(row)` holds to `rows`, by track and, within a track, in file
// order.
template <typename Wanted>
[[nodiscard]] std::vector<HostThread> GatherByTrack(const Trace& trace, Column<SpanRow>& rows,
                                                    Wanted wanted) {
  const SpanTable& spans = trace.spans;
  // First the counts, then where each track goes on.
  std::vector<uint32_t> next(trace.tracks.size(), 0);
  for (size_t row = 0; row < spans.size(); ++row) {
    if (wanted(row)) ++next[static_cast<size_t>(spans.track[row])];
  }
  std::vector<HostThread> threads;
  uint32_t size = 0;
  for (size_t track = 0; track < next.size(); ++track) {
    const uint32_t count = next[track];
    next[track] = size;
    if (count == 0) continue;
    threads.push_back({TrackId{static_cast<uint32_t>(track)}, size, size + count});
    size += count;
  }
  SpanRow* const out = rows.extend(size);
  for (size_t row = 0; row < spans.size(); ++row) {
    if (wanted(row)) out[next[static_cast<size_t>(spans.track[row])]++] = static_cast<SpanRow>(row);
  }
  return threads;
}

inline void SortForNesting(const Trace& trace, std::span<SpanRow> rows) {
  const SpanTable& spans = trace.spans;
  SortRuns(rows, [&spans](SpanRow a, SpanRow b) {
    if (spans.start_ns[a] != spans.start_ns[b]) return spans.start_ns[a] < spans.start_ns[b];
    if (spans.duration_ns[a] != spans.duration_ns[b]) {
      return spans.duration_ns[a] > spans.duration_ns[b];
    }
    return a < b;
  });
}

}  // namespace telltale
