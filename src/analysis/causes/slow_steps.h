// SPDX-License-Identifier: Apache-2.0
// Stragglers among the steps: those that take far longer than the typical one, and by how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace telltale {

struct SlowSteps {
  size_t typical = 0;        // the one of median length
  std::vector<size_t> slow;  // in their order
  size_t slowest = 0;        // of these
  int64_t excess_ns = 0;     // over the typical one, of all of them
  [[nodiscard]] bool empty() const { return slow.empty(); }
};

// None where fewer than three steps say what is typical.
[[nodiscard]] SlowSteps FindSlowSteps(std::span<const int64_t> durations_ns);

// How much of the excess lies in something that costs so much in each of the steps: what it costs
// in the slow ones beyond what it usually costs.
[[nodiscard]] int64_t ExplainedBy(const SlowSteps& steps, std::span<const int64_t> costs_ns);

}  // namespace telltale
