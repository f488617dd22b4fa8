// SPDX-License-Identifier: Apache-2.0
// Work that takes far longer than other work like it: kernels of one name and grid, operators of
// one name and input shapes (their own time, where there is no device), collectives of one name and
// size (against the fastest).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/critical_path/graph.h"
#include "base/column.h"

namespace telltale {

class UnevenWork {
 public:
  UnevenWork() = default;
  // `host`: operators are work, too. `alone`: no other rank's trace is there that would say who was
  // waited for.
  UnevenWork(const PathGraph& graph, bool host, bool alone);

  // What of a span's time, in parts of 2^16, others like it do not take.
  [[nodiscard]] uint32_t ExcessOf(SpanRow row) const {
    return row < excess_.size() ? excess_[row] : 0;
  }
  static constexpr uint32_t kAll = 1 << 16;

 private:
  Column<uint32_t> excess_;  // by span; empty: none
};

}  // namespace telltale
