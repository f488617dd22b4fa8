// SPDX-License-Identifier: Apache-2.0
// One tag of a run over all its files, in the order of their names: every point, and which of them
// a later one overwrote. A run begins again where its writer says so (SessionLog START) or where a
// step goes back, never where a step comes twice; then the points before it with that step or a
// later one are hidden. Between two beginnings is a segment, in which steps never go back: what is
// hidden of it is at its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/series.h"

namespace telltale {

// Of points, by index: those from visible_end to end are hidden.
struct Segment {
  size_t begin = 0;
  size_t visible_end = 0;
  size_t end = 0;
};

// Valid as long as the files are, and nothing is added to them.
class JoinedScalars {
 public:
  JoinedScalars() = default;
  // `files`: of one run, in the order of their names; those without the tag count, too, for they
  // may say that the run began again.
  JoinedScalars(std::span<const SeriesSet* const> files, std::string_view tag);
  explicit JoinedScalars(const ScalarColumn& column);

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] size_t visible_size() const { return visible_size_; }
  [[nodiscard]] ScalarPoint operator[](size_t i) const {
    const Part& part = PartOf(i);
    return (*part.column)[i - part.first];
  }
  [[nodiscard]] bool hidden(size_t i) const;
  // None of them is empty.
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

  // Calls use(index, point) for begin <= index < end, in order.
  template <typename Use>
  void ForEach(size_t begin, size_t end, Use use) const {
    for (const Part& part : parts_) {
      const size_t part_end = part.first + part.column->size();
      if (part_end <= begin || part.first >= end) continue;
      part.column->ForEach(std::max(begin, part.first) - part.first,
                           std::min(end, part_end) - part.first,
                           [&](size_t i, const ScalarPoint& point) { use(part.first + i, point); });
    }
  }
  // The visible ones of all segments.
  template <typename Use>
  void ForEachVisible(Use use) const {
    for (const Segment& segment : segments_) ForEach(segment.begin, segment.visible_end, use);
  }
  // As ForEach, but first asks use_block(first_index, column, block) of each block that is inside
  // as a whole; if it returns true, its points are not looked at.
  template <typename UseBlock, typename Use>
  void ForEachBlock(size_t begin, size_t end, UseBlock use_block, Use use) const {
    for (const Part& part : parts_) {
      const ScalarColumn& column = *part.column;
      const size_t part_end = part.first + column.size();
      if (part_end <= begin || part.first >= end) continue;
      column.ForEachBlock(
          std::max(begin, part.first) - part.first, std::min(end, part_end) - part.first,
          [&](const ScalarColumn::Block& block) {
            return use_block(part.first + block.first_index, column, block);
          },
          [&](size_t i, const ScalarPoint& point) { use(part.first + i, point); });
    }
  }

 private:
  struct Part {
    const ScalarColumn* column;
    size_t first;  // index of its first point
  };
  // From index on the run began again at this step.
  struct Beginning {
    size_t index;
    int64_t step;
  };

  [[nodiscard]] const Part& PartOf(size_t i) const {
    size_t part = parts_.size() - 1;
    while (parts_[part].first > i) --part;
    return parts_[part];
  }
  void AddPart(const ScalarColumn& column);
  void FindSegments(std::vector<Beginning> said);

  std::vector<Part> parts_;  // none is empty
  std::vector<Segment> segments_;
  size_t size_ = 0;
  size_t visible_size_ = 0;
};

}  // namespace telltale
