// SPDX-License-Identifier: Apache-2.0
// Sums by cause and name. No text is touched until they are done.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/critical_path/name_numbers.h"

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

struct CauseSum {
  uint32_t graph = 0;
  PathCause cause = PathCause::kIdle;
  StringId name = kNoString;
  uint64_t pieces = 0;
  int64_t total_ns = 0;
};

class CauseSums {
 public:
  explicit CauseSums(const PathWorld& world) : numbers_(world, kPathCauseCount) {}
  void Add(uint32_t graph, PathCause cause, StringId name, int64_t duration_ns) {
    uint32_t& number = numbers_.At(graph, static_cast<size_t>(cause), name);
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
  NameNumbers numbers_;
  std::vector<CauseSum> sums_;
};

}  // namespace telltale
