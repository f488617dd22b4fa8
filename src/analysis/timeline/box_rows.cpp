// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/box_rows.h"

#include "base/cancel.h"

#include <cmath>
#include <limits>

namespace telltale {

namespace {

// Never less than the real one.
float Extent(int64_t start_ns, int64_t end_ns) {
  const uint64_t ns = static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(start_ns);
  auto rounded = static_cast<float>(ns);
  if (static_cast<double>(rounded) < static_cast<double>(ns)) {
    rounded = std::nextafter(rounded, std::numeric_limits<float>::infinity());
  }
  return rounded;
}

}  // namespace

uint32_t BoxRows::NodesFor(uint32_t count) {
  BoxRow row;
  row.count = count;
  const box_rows::Levels levels(row);
  uint32_t nodes = 0;
  for (uint32_t level = 1; level <= levels.top; ++level) nodes += levels.size[level];
  return nodes;
}

void BoxRows::AllocateNodes(uint32_t count) {
  if (count == 0) return;
  nodes.reserve(count);
  (void)nodes.extend(count);
}

void BoxRows::BuildNodes(const BoxRow& row, BoxTimes times) {
  const box_rows::Levels levels(row);
  if (levels.top == 0) return;
  CancelCheck cancel;
  for (uint32_t i = 0; i < levels.size[1]; ++i) {
    cancel.Tick();
    const uint32_t* const first = items.data() + row.first + size_t{i} * kSpansPerNode;
    const uint32_t count = std::min(kSpansPerNode, row.count - i * kSpansPerNode);
    const int64_t start = times.start(first[0]);
    int64_t end = start;
    uint32_t longest = first[0];
    for (uint32_t k = 0; k < count; ++k) {
      end = std::max(end, times.end(first[k]));
      if (times.duration(first[k]) > times.duration(longest)) longest = first[k];
    }
    nodes[size_t{levels.first[1]} + i] = {start, Extent(start, end),
                                          Extent(0, times.duration(longest)), longest};
  }
  for (uint32_t level = 2; level <= levels.top; ++level) {
    const BoxNode* const below = nodes.data() + levels.first[level - 1];
    for (uint32_t i = 0; i < levels.size[level]; ++i) {
      const uint32_t from = i * kNodesPerNode;
      const uint32_t to = std::min(from + kNodesPerNode, levels.size[level - 1]);
      const int64_t start = below[from].start_ns;
      int64_t end = start;
      uint32_t longest = from;
      for (uint32_t child = from; child < to; ++child) {
        end = std::max(end, box_rows::EndOfNode(below[child].start_ns, below[child].extent_ns));
        if (below[child].longest_ns > below[longest].longest_ns) longest = child;
      }
      nodes[size_t{levels.first[level]} + i] = {start, Extent(start, end),
                                                below[longest].longest_ns, below[longest].longest};
    }
  }
}

uint32_t BoxRows::FirstFrom(const BoxRow& row, BoxTimes times, int64_t time_ns) const {
  const uint32_t* const begin = items.data() + row.first;
  const uint32_t* const at =
      std::lower_bound(begin, begin + row.count, time_ns,
                       [&](uint32_t item, int64_t time) { return times.start(item) < time; });
  return static_cast<uint32_t>(at - begin);
}

uint32_t BoxRows::OpenAt(const BoxRow& row, BoxTimes times, int64_t time_ns) const {
  if (time_ns == std::numeric_limits<int64_t>::max()) return row.count;
  const uint32_t after = FirstFrom(row, times, time_ns + 1);
  if (after == 0) return row.count;
  return times.end(items[row.first + after - 1]) > time_ns ? after - 1 : row.count;
}

size_t BoxRows::memory_bytes() const {
  return rows.capacity() * sizeof(BoxRow) + items.memory_bytes() + nodes.memory_bytes();
}

}  // namespace telltale
