// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/file_rows.h"

#include <algorithm>
#include <span>

#include "analysis/core/nesting.h"
#include "analysis/core/thread_rows.h"
#include "analysis/timeline/free_rows.h"
#include "base/cancel.h"
#include "base/parallel.h"

namespace telltale {

namespace {

using CategoryCounts = std::array<uint32_t, kCategoryCount>;

std::array<TrackPart, kCategoryCount> PartsOf(const CategoryCounts& counts) {
  const auto has = [&](Category category) { return counts[static_cast<size_t>(category)] > 0; };
  const bool host = has(Category::kOperator) || has(Category::kAnnotation) ||
                    has(Category::kRuntime) || has(Category::kOverhead) || has(Category::kPython);
  const bool device = has(Category::kKernel) || has(Category::kMemcpy) || has(Category::kMemset) ||
                      has(Category::kSync);
  std::array<TrackPart, kCategoryCount> parts;
  parts.fill(device && !host ? TrackPart::kStream : TrackPart::kThread);
  const auto set = [&](Category category, TrackPart part) {
    parts[static_cast<size_t>(category)] = part;
  };
  for (const Category category :
       {Category::kKernel, Category::kMemcpy, Category::kMemset, Category::kSync}) {
    set(category, TrackPart::kStream);
  }
  for (const Category category :
       {Category::kOperator, Category::kAnnotation, Category::kRuntime, Category::kOverhead}) {
    set(category, TrackPart::kThread);
  }
  set(Category::kPython, TrackPart::kPython);
  set(Category::kGpuAnnotation, TrackPart::kAnnotations);
  return parts;
}

// Fills of_track, part_of, tracks (places and counts), and the items by track in file order.
void Gather(const Trace& trace, FileRows& rows) {
  const SpanTable& spans = trace.spans;
  std::vector<CategoryCounts> counts(trace.tracks.size(), CategoryCounts{});
  for (size_t row = 0; row < spans.size(); ++row) {
    ++counts[static_cast<size_t>(spans.track[row])][static_cast<size_t>(spans.category[row])];
  }
  rows.part_of.resize(trace.tracks.size());
  rows.of_track.resize(trace.tracks.size());
  std::vector<std::array<uint32_t, kTrackPartCount>> next(trace.tracks.size());
  uint32_t item = 0;
  for (size_t track = 0; track < trace.tracks.size(); ++track) {
    rows.part_of[track] = PartsOf(counts[track]);
    std::array<uint32_t, kTrackPartCount> sizes = {};
    for (size_t category = 0; category < kCategoryCount; ++category) {
      sizes[static_cast<size_t>(rows.part_of[track][category])] += counts[track][category];
    }
    rows.of_track[track].fill(kNoRow);
    for (size_t part = 0; part < kTrackPartCount; ++part) {
      next[track][part] = item;
      if (sizes[part] == 0) continue;
      rows.of_track[track][part] = static_cast<uint32_t>(rows.tracks.size());
      PlacedTrack placed;
      placed.track = TrackId{static_cast<uint32_t>(track)};
      placed.part = static_cast<TrackPart>(part);
      placed.first_item = item;
      placed.span_count = sizes[part];
      rows.tracks.push_back(std::move(placed));
      item += sizes[part];
    }
  }
  rows.boxes.items.reserve(spans.size());
  uint32_t* const items = rows.boxes.items.extend(spans.size());
  CancelCheck cancel;
  for (size_t row = 0; row < spans.size(); ++row) {
    cancel.Tick();
    const auto track = static_cast<size_t>(spans.track[row]);
    const auto part = rows.part_of[track][static_cast<size_t>(spans.category[row])];
    items[next[track][static_cast<size_t>(part)]++] = static_cast<uint32_t>(row);
  }
}

class TrackPlacer {
 public:
  TrackPlacer(const Trace& trace, FileRows& rows) : trace_(trace), rows_(rows) {}

  // The rows of the track, their first_node not set yet.
  std::vector<BoxRow> Place(PlacedTrack& track) {
    const std::span<uint32_t> items(rows_.boxes.items.data() + track.first_item, track.span_count);
    SortForNesting(trace_, items);
    DescribeTimes(track, items);
    if (track.part == TrackPart::kStream) {
      Stack(items);
    } else {
      Nest(items);
    }
    return SortByRow(track, items);
  }

 private:
  void DescribeTimes(PlacedTrack& track, std::span<const uint32_t> items) {
    const SpanTable& spans = trace_.spans;
    BusyMarks busy;
    track.first_ns = spans.start_ns[items.front()];
    track.last_ns = track.first_ns;
    for (const uint32_t item : items) {
      busy.Add(spans.start_ns[item], spans.end_ns(item));
      track.last_ns = std::max(track.last_ns, spans.end_ns(item));
    }
    track.busy = busy.Take();
  }

  void Nest(std::span<const uint32_t> items) {
    const SpanTable& spans = trace_.spans;
    OpenIntervals open;
    FreeRows free;
    CancelCheck cancel;
    for (const uint32_t item : items) {
      cancel.Tick();
      const int64_t start = spans.start_ns[item];
      const int64_t end = spans.end_ns(item);
      const uint32_t parent = open.Add(item, start, end).parent;
      const uint32_t from = parent == kNoRow ? 0 : rows_.depth[parent] + 1U;
      rows_.depth[item] = static_cast<uint16_t>(free.Place(from, start, end));
    }
  }

  void Stack(std::span<const uint32_t> items) {
    const SpanTable& spans = trace_.spans;
    uint32_t below = 0;
    for (const bool device : {true, false}) {
      FreeRows free;
      uint32_t rows = 0;
      CancelCheck cancel;
      for (const uint32_t item : items) {
        cancel.Tick();
        if (IsDevice(spans.category[item]) != device) continue;
        const uint32_t row = below + free.Place(0, spans.start_ns[item], spans.end_ns(item));
        rows_.depth[item] = static_cast<uint16_t>(std::min(row, kMostRows - 1));
        rows = std::max(rows, row + 1);
      }
      below = std::max(below, rows);
    }
  }

  std::vector<BoxRow> SortByRow(PlacedTrack& track, std::span<uint32_t> items) {
    std::vector<BoxRow> rows;
    for (const uint32_t item : items) {
      const size_t depth = rows_.depth[item];
      if (depth >= rows.size()) rows.resize(depth + 1);
      ++rows[depth].count;
    }
    uint32_t first = track.first_item;
    for (BoxRow& row : rows) {
      row.first = first;
      first += row.count;
    }
    if (rows.size() == kMostRows) rows.back().piled = true;
    track.row_count = static_cast<uint32_t>(rows.size());
    if (rows.size() == 1) return rows;
    std::vector<uint32_t> next;
    next.reserve(rows.size());
    for (const BoxRow& row : rows) next.push_back(row.first - track.first_item);
    Column<uint32_t> sorted;
    uint32_t* const out = sorted.extend(items.size());
    for (const uint32_t item : items) out[next[rows_.depth[item]]++] = item;
    std::copy(sorted.begin(), sorted.end(), items.begin());
    return rows;
  }

  const Trace& trace_;
  FileRows& rows_;
};

}  // namespace

FileRows PlaceInRows(const Trace& trace, unsigned threads) {
  FileRows rows;
  Gather(trace, rows);
  rows.depth.reserve(trace.spans.size());
  (void)rows.depth.extend(trace.spans.size());

  std::vector<std::vector<BoxRow>> of_tracks(rows.tracks.size());
  ForEachOnThreads(threads, rows.tracks.size(), [&](size_t i) {
    of_tracks[i] = TrackPlacer(trace, rows).Place(rows.tracks[i]);
  });
  BoxRows& boxes = rows.boxes;
  uint32_t nodes = 0;
  for (size_t i = 0; i < rows.tracks.size(); ++i) {
    rows.tracks[i].first_row = static_cast<uint32_t>(boxes.rows.size());
    for (BoxRow& row : of_tracks[i]) {
      row.first_node = nodes;
      nodes += BoxRows::NodesFor(row.count);
      boxes.rows.push_back(row);
    }
  }
  boxes.AllocateNodes(nodes);
  ForEachOnThreads(threads, boxes.rows.size(),
                   [&](size_t i) { boxes.BuildNodes(boxes.rows[i], TimesOf(trace)); });
  return rows;
}

size_t FileRows::memory_bytes() const {
  size_t bytes =
      boxes.memory_bytes() + depth.memory_bytes() + tracks.capacity() * sizeof(PlacedTrack) +
      of_track.capacity() * sizeof(of_track[0]) + part_of.capacity() * sizeof(part_of[0]);
  for (const PlacedTrack& track : tracks) bytes += track.busy.capacity() * sizeof(BusyMark);
  return bytes;
}

}  // namespace telltale
