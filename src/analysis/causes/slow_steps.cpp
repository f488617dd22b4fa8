// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/slow_steps.h"

#include <algorithm>
#include <numeric>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

// With fewer nothing is typical.
constexpr size_t kFewestSteps = 3;
// So much longer than the typical one is slow.
constexpr double kSlow = 0.25;

// The one in the middle, the shorter of two.
size_t MiddleOf(std::span<const int64_t> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
  std::ranges::nth_element(order, middle, [&](size_t a, size_t b) {
    return values[a] != values[b] ? values[a] < values[b] : a < b;
  });
  return *middle;
}

}  // namespace

SlowSteps FindSlowSteps(std::span<const int64_t> durations_ns) {
  SlowSteps found;
  if (durations_ns.size() < kFewestSteps) return found;
  found.typical = MiddleOf(durations_ns);
  const int64_t usual = durations_ns[found.typical];
  for (size_t i = 0; i < durations_ns.size(); ++i) {
    const int64_t more = durations_ns[i] - usual;
    if (static_cast<double>(more) <= kSlow * static_cast<double>(usual)) continue;
    if (found.slow.empty() || durations_ns[i] > durations_ns[found.slowest]) found.slowest = i;
    found.slow.push_back(i);
    AddTo(found.excess_ns, more);
  }
  return found;
}

int64_t ExplainedBy(const SlowSteps& steps, std::span<const int64_t> costs_ns) {
  if (costs_ns.empty()) return 0;
  const int64_t usual = costs_ns[MiddleOf(costs_ns)];
  int64_t explained = 0;
  for (const size_t i : steps.slow) AddTo(explained, std::max<int64_t>(0, costs_ns[i] - usual));
  return explained;
}

}  // namespace telltale
