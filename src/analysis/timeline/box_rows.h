// SPDX-License-Identifier: Apache-2.0
// Boxes in rows, ready to be drawn at any zoom: per row the spans in time order, and above them a
// tree in which a node sums up six neighbouring spans or four neighbouring nodes (first start,
// last end, the longest span). A view takes the largest nodes that are narrower than a pixel and
// the spans that are not, so it costs as much as it shows, however the spans are spread. Costs 4
// bytes a span for the order and 4.5 for the tree.
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

// 20 bytes: there is one for four or five spans, all levels together.
struct __attribute__((packed, aligned(4))) BoxNode {
  int64_t start_ns;
  // Rounded up: exact up to 16 ms, and beyond to a ten-millionth, which no screen shows.
  float extent_ns;
  float longest_ns;
  uint32_t longest;  // item
};

struct BoxRows {
  static constexpr uint32_t kSpansPerNode = 6;
  static constexpr uint32_t kNodesPerNode = 4;
  static constexpr size_t kMostLevels = 17;

  std::vector<BoxRow> rows;
  Column<uint32_t> items;  // by row; in a row by start
  Column<BoxNode> nodes;   // by row: the lowest level first

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
  // `quantum_ns`, up to 2^62 and exact as a float. A span of length zero touches its moment.
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

  // How many a node of that level sums up.
  static constexpr uint32_t Below(uint32_t level) {
    return level == 1 ? BoxRows::kSpansPerNode : BoxRows::kNodesPerNode;
  }

  explicit Levels(const BoxRow& row) {
    size[0] = row.count;
    uint32_t node = row.first_node;
    while (size[top] > Below(top + 1)) {
      ++top;
      first[top] = node;
      size[top] = (size[top - 1] - 1) / Below(top) + 1;
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
    for (uint32_t level = 1; level <= levels_.top; ++level) spans *= Levels::Below(level);
    Nodes(levels_.top, 0, levels_.size[levels_.top], spans);
  }

 private:
  // False: past the view.
  bool Nodes(uint32_t level, uint32_t from, uint32_t to, uint64_t spans) {
    if (level == 0) return Spans(from, to);
    const BoxNode* const nodes = rows_.nodes.data() + levels_.first[level];
    for (uint32_t i = from; i < to; ++i) {
      const BoxNode node = nodes[i];
      if (node.start_ns >= end_ns_) return false;
      const int64_t end = EndOfNode(node.start_ns, node.extent_ns);
      if (end < begin_ns_) continue;
      if (node.extent_ns < quantum_) {
        const uint64_t first = i * spans;
        const auto count = static_cast<uint32_t>(std::min<uint64_t>(spans, row_.count - first));
        sink_.Group(node.start_ns, end, count, node.longest, node.longest_ns);
        continue;
      }
      const uint32_t below = Levels::Below(level);
      const uint32_t child = i * below;
      const uint32_t last = std::min(levels_.size[level - 1], child + below);
      if (!Nodes(level - 1, child, last, spans / below)) return false;
    }
    return true;
  }

  // At most kSpansPerNode.
  bool Spans(uint32_t from, uint32_t to) {
    // Neighbours in a row are not neighbours in the table: all are fetched before any is looked at,
    // so that the waits for memory overlap.
    std::array<int64_t, BoxRows::kSpansPerNode> starts;
    std::array<int64_t, BoxRows::kSpansPerNode> durations;
    const uint32_t* const items = rows_.items.data() + row_.first + from;
    const uint32_t count = to - from;
    for (uint32_t i = 0; i < count; ++i) {
      starts[i] = times_.start(items[i]);
      durations[i] = times_.duration(items[i]);
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (starts[i] >= end_ns_) return false;
      const int64_t end = starts[i] + durations[i];
      if (end > begin_ns_ || starts[i] >= begin_ns_) sink_.Span(items[i], starts[i], end);
    }
    return true;
  }

  const BoxRows& rows_;
  const BoxRow& row_;
  const Levels levels_;
  const BoxTimes times_;
  const int64_t begin_ns_;
  const int64_t end_ns_;
  const float quantum_;
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
