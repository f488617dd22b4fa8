// SPDX-License-Identifier: Apache-2.0
// Boxes in rows, ready to be drawn at any zoom: per row the spans in time order, and above them a
// tree in which a node sums up eight neighbours (first start, last end, the longest of them). A
// view takes the largest nodes that are narrower than a pixel and the spans that are not, so it
// costs as much as it shows, however the spans are spread. Costs 4 bytes a span for the order and
// about 3 for the tree.
//
// Items are numbers of spans in some table of times that the caller has; it is handed in with every
// call and must be the same each time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/column.h"

namespace telltale {

// By item. Start + duration does not overflow.
struct BoxTimes {
  const int64_t* start_ns = nullptr;
  const int64_t* duration_ns = nullptr;
  [[nodiscard]] int64_t start(uint32_t item) const { return start_ns[item]; }
  [[nodiscard]] int64_t duration(uint32_t item) const { return duration_ns[item]; }
  [[nodiscard]] int64_t end(uint32_t item) const { return start_ns[item] + duration_ns[item]; }
};

struct BoxRow {
  uint32_t first = 0;  // in BoxRows::items
  uint32_t count = 0;
  uint32_t first_node = 0;
  bool piled = false;  // boxes may overlap (the last row of a track that is too deep)
};

struct BoxRows {
  static constexpr uint32_t kFanOut = 8;
  static constexpr size_t kMostLevels = 12;

  std::vector<BoxRow> rows;
  Column<uint32_t> items;  // by row; in a row by start

  // Nodes, by row: the lowest level first. Floats, rounded up: exact up to 16 ms, and beyond to a
  // ten-millionth, which no screen shows.
  Column<int64_t> node_start_ns;
  Column<float> node_extent_ns;
  Column<float> node_longest_ns;
  Column<uint32_t> node_longest;  // item

  [[nodiscard]] static uint32_t NodesFor(uint32_t count);
  // Makes room for the nodes of all rows.
  void AllocateNodes(uint32_t count);
  // Fills the nodes of a row. Rows may be built at the same time.
  void BuildNodes(const BoxRow& row, BoxTimes times);
  // The first position (from 0) in a row whose box starts at or after that time.
  [[nodiscard]] uint32_t FirstFrom(const BoxRow& row, BoxTimes times, int64_t time_ns) const;
  // The position of the box that is open at that moment (start <= time < end), or the row's count.
  // Not for piled rows.
  [[nodiscard]] uint32_t OpenAt(const BoxRow& row, BoxTimes times, int64_t time_ns) const;
  [[nodiscard]] size_t memory_bytes() const;

  // Calls, in time order, for all that touches [begin, end): `sink.Span(item, start, end)` for
  // single spans and `sink.Group(start, end, count, longest, longest_ns)` for nodes narrower than
  // `quantum_ns`, a power of two up to 2^62. A span of length zero touches its moment.
  template <typename Sink>
  void Visit(const BoxRow& row, BoxTimes times, int64_t begin_ns, int64_t end_ns,
             int64_t quantum_ns, Sink& sink) const;
};

namespace box_rows {

// Times are within 2^62 of zero, so only a node that holds both ends of time can be longer.
inline int64_t EndOfNode(int64_t start_ns, float extent_ns) {
  constexpr auto kEndless = static_cast<float>(int64_t{1} << 62);
  if (extent_ns >= kEndless) return std::numeric_limits<int64_t>::max();
  return start_ns + static_cast<int64_t>(extent_ns);
}

// Where the levels of a row's tree are. Level 0 are the spans.
struct Levels {
  std::array<uint32_t, BoxRows::kMostLevels> first = {};  // node
  std::array<uint32_t, BoxRows::kMostLevels> size = {};
  uint32_t top = 0;

  explicit Levels(const BoxRow& row) {
    size[0] = row.count;
    uint32_t node = row.first_node;
    while (size[top] > BoxRows::kFanOut) {
      ++top;
      first[top] = node;
      size[top] = (size[top - 1] - 1) / BoxRows::kFanOut + 1;
      node += size[top];
    }
  }
};

template <typename Sink>
class Walk {
 public:
  Walk(const BoxRows& rows, const BoxRow& row, BoxTimes times, int64_t begin_ns, int64_t end_ns,
       int64_t quantum_ns, Sink& sink)
      : rows_(rows),
        row_(row),
        levels_(row),
        times_(times),
        begin_ns_(begin_ns),
        end_ns_(end_ns),
        quantum_(static_cast<float>(quantum_ns)),
        sink_(sink) {}

  void Run() {
    uint64_t spans = 1;  // below a node of the top level
    for (uint32_t level = 0; level < levels_.top; ++level) spans *= BoxRows::kFanOut;
    Nodes(levels_.top, 0, levels_.size[levels_.top], spans);
  }

 private:
  // False: past the view.
  bool Nodes(uint32_t level, uint32_t from, uint32_t to, uint64_t spans) {
    if (level == 0) return Spans(from, to);
    const size_t base = levels_.first[level];
    for (uint32_t i = from; i < to; ++i) {
      const int64_t start = rows_.node_start_ns[base + i];
      if (start >= end_ns_) return false;
      const int64_t end = EndOfNode(start, rows_.node_extent_ns[base + i]);
      if (end < begin_ns_) continue;
      if (rows_.node_extent_ns[base + i] < quantum_) {
        const uint64_t first = i * spans;
        const auto count = static_cast<uint32_t>(std::min<uint64_t>(spans, row_.count - first));
        sink_.Group(start, end, count, rows_.node_longest[base + i],
                    rows_.node_longest_ns[base + i]);
        continue;
      }
      const uint32_t child = i * BoxRows::kFanOut;
      const uint32_t last = std::min(levels_.size[level - 1], child + BoxRows::kFanOut);
      if (!Nodes(level - 1, child, last, spans / BoxRows::kFanOut)) return false;
    }
    return true;
  }

  bool Spans(uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) {
      const uint32_t item = rows_.items[row_.first + i];
      const int64_t start = times_.start(item);
      if (start >= end_ns_) return false;
      const int64_t end = start + times_.duration(item);
      if (end > begin_ns_ || start >= begin_ns_) sink_.Span(item, start, end);
    }
    return true;
  }

  const BoxRows& rows_;
  const BoxRow& row_;
  const Levels levels_;
  const BoxTimes times_;
  const int64_t begin_ns_;
  const int64_t end_ns_;
  const float quantum_;  // a power of two: exact
  Sink& sink_;
};

}  // namespace box_rows

template <typename Sink>
void BoxRows::Visit(const BoxRow& row, BoxTimes times, int64_t begin_ns, int64_t end_ns,
                    int64_t quantum_ns, Sink& sink) const {
  if (row.count == 0) return;
  box_rows::Walk<Sink>(*this, row, times, begin_ns, end_ns, quantum_ns, sink).Run();
}

}  // namespace telltale
