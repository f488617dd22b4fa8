// SPDX-License-Identifier: Apache-2.0
// Sums by cause and name, and the numbers of the few causes that are looked at closer. Names are
// numbers of a trace's strings: no text is touched until the sums are done.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/critical_path/graph.h"

namespace telltale {

// Launch delays and gaps have no name: the reason is not the kernel that came late.
[[nodiscard]] constexpr bool HasName(PathCause cause) {
  return cause != PathCause::kLaunchDelay && cause != PathCause::kKernelGap &&
         cause != PathCause::kIdle;
}

// The name under which a piece counts.
[[nodiscard]] inline StringId NameOfPiece(const PathGraph& graph, PathCause cause, SpanRow span) {
  return span == kNoRow || !HasName(cause) ? kNoString : graph.context->trace.spans.name[span];
}

// For each graph, cause and name a number that begins at 0 and means "not seen".
class CauseNumbers {
 public:
  explicit CauseNumbers(const PathWorld& world);
  [[nodiscard]] uint32_t& At(uint32_t graph, PathCause cause, StringId name) {
    Table& table = tables_[graph * kPathCauseCount + static_cast<size_t>(cause)];
    if (name == kNoString) return table.unnamed;
    if (table.by_name.empty()) table.by_name.resize(names_[graph]);
    return table.by_name[static_cast<size_t>(name)];
  }
  [[nodiscard]] uint32_t Find(uint32_t graph, PathCause cause, StringId name) const {
    const Table& table = tables_[graph * kPathCauseCount + static_cast<size_t>(cause)];
    if (name == kNoString) return table.unnamed;
    return table.by_name.empty() ? 0 : table.by_name[static_cast<size_t>(name)];
  }

 private:
  struct Table {
    uint32_t unnamed = 0;
    Column<uint32_t> by_name;  // empty until one has a number
  };
  std::vector<Table> tables_;
  std::vector<size_t> names_;  // of each graph
};

struct CauseSum {
  uint32_t graph = 0;
  PathCause cause = PathCause::kIdle;
  StringId name = kNoString;
  uint64_t pieces = 0;
  int64_t total_ns = 0;
};

class CauseSums {
 public:
  explicit CauseSums(const PathWorld& world) : numbers_(world) {}
  void Add(uint32_t graph, PathCause cause, StringId name, int64_t duration_ns) {
    uint32_t& number = numbers_.At(graph, cause, name);
    if (number == 0) {
      sums_.push_back({graph, cause, name, 0, 0});
      number = static_cast<uint32_t>(sums_.size());
    }
    CauseSum& sum = sums_[number - 1];
    ++sum.pieces;
    sum.total_ns += duration_ns;
  }
  [[nodiscard]] std::span<const CauseSum> sums() const { return sums_; }

 private:
  CauseNumbers numbers_;
  std::vector<CauseSum> sums_;
};

}  // namespace telltale
