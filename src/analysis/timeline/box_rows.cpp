// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/box_rows.h"

#include <cmath>
#include <limits>

namespace telltale {

namespace {

// Never less than the value.
float RoundUp(uint64_t ns) {
  auto rounded = static_cast<float>(ns);
  if (static_cast<double>(rounded) < static_cast<double>(ns)) {
    rounded = std::nextafter(rounded, std::numeric_limits<float>::infinity());
  }
  return rounded;
}

}  // namespace

uint32_t BoxRows::NodesFor(uint32_t count) {
  uint32_t nodes = 0;
  while (count > kFanOut) {
    count = (count - 1) / kFanOut + 1;
    nodes += count;
  }
  return nodes;
}

void BoxRows::AllocateNodes(uint32_t count) {
  if (count == 0) return;
  const auto allocate = [count](auto& column) {
    column.reserve(count);
    (void)column.extend(count);
  };
  allocate(node_start_ns);
  allocate(node_extent_ns);
  allocate(node_longest_ns);
  allocate(node_longest);
}

void BoxRows::BuildNodes(const BoxRow& row, BoxTimes times) {
  const box_rows::Levels levels(row);
  if (levels.top == 0) return;
  for (uint32_t i = 0; i < levels.size[1]; ++i) {
    const uint32_t* const first = items.data() + row.first + size_t{i} * kFanOut;
    const uint32_t count = std::min(kFanOut, row.count - i * kFanOut);
    const int64_t start = times.start(first[0]);
    int64_t end = start;
    uint32_t longest = first[0];
    for (uint32_t k = 0; k < count; ++k) {
      end = std::max(end, times.end(first[k]));
      if (times.duration(first[k]) > times.duration(longest)) longest = first[k];
    }
    const size_t node = size_t{levels.first[1]} + i;
    node_start_ns[node] = start;
    node_extent_ns[node] = RoundUp(static_cast<uint64_t>(end) - static_cast<uint64_t>(start));
    node_longest[node] = longest;
    node_longest_ns[node] = RoundUp(static_cast<uint64_t>(times.duration(longest)));
  }
  for (uint32_t level = 2; level <= levels.top; ++level) {
    for (uint32_t i = 0; i < levels.size[level]; ++i) {
      const size_t from = size_t{levels.first[level - 1]} + size_t{i} * kFanOut;
      const size_t to =
          std::min(from + kFanOut, size_t{levels.first[level - 1]} + levels.size[level - 1]);
      const int64_t start = node_start_ns[from];
      int64_t end = start;
      size_t longest = from;
      for (size_t child = from; child < to; ++child) {
        end = std::max(end, box_rows::EndOfNode(node_start_ns[child], node_extent_ns[child]));
        if (node_longest_ns[child] > node_longest_ns[longest]) longest = child;
      }
      const size_t node = size_t{levels.first[level]} + i;
      node_start_ns[node] = start;
      node_extent_ns[node] = RoundUp(static_cast<uint64_t>(end) - static_cast<uint64_t>(start));
      node_longest[node] = node_longest[longest];
      node_longest_ns[node] = node_longest_ns[longest];
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
  return rows.capacity() * sizeof(BoxRow) + items.memory_bytes() + node_start_ns.memory_bytes() +
         node_extent_ns.memory_bytes() + node_longest_ns.memory_bytes() +
         node_longest.memory_bytes();
}

}  // namespace telltale
