// SPDX-License-Identifier: Apache-2.0
#include "collect/region_clock.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace telltale {

using record::ClockPair;
using record::RegionHeader;

namespace {

int64_t Clamped(double value) {
  if (!(value > -9.2e18)) return INT64_MIN;
  if (value > 9.2e18) return INT64_MAX;
  return static_cast<int64_t>(value);
}

}  // namespace

void RegionClock::Read(const RegionFile& file, const RegionHeader& header) {
  const uint32_t count = header.clock_pair_count;
  // The place of the oldest one may be written right now.
  const uint32_t oldest = count >= record::kClockPairs ? count - record::kClockPairs + 1 : 0;
  for (uint32_t i = std::max(oldest, pairs_read_); i < count; ++i) {
    ClockPair pair{};
    const uint64_t offset =
        offsetof(RegionHeader, pairs) + uint64_t{i % record::kClockPairs} * sizeof pair;
    if (file.ReadAt(offset, &pair, sizeof pair) != sizeof pair) break;
    if (pair.ticks != 0) pairs_[pair.ticks] = pair;
  }
  pairs_read_ = count;
  while (pairs_.size() > 2 * size_t{record::kClockPairs}) pairs_.erase(pairs_.begin());
  ns_per_tick_ = std::isfinite(header.ticks_per_second) && header.ticks_per_second > 1
                     ? 1e9 / header.ticks_per_second
                     : 1;
}

int64_t RegionClock::WallOf(uint64_t ticks) const {
  return pairs_.empty() ? 0 : WallOf(ticks, pairs_.rbegin()->second);
}

int64_t RegionClock::WallOf(uint64_t ticks, const ClockPair& nearest) const {
  const auto from = [&](const ClockPair& pair, double ns_per_tick) {
    const double distance = ticks >= pair.ticks ? static_cast<double>(ticks - pair.ticks)
                                                : -static_cast<double>(pair.ticks - ticks);
    const double ns = distance * ns_per_tick;
    // The distance is small where the clocks were compared; the sum must not be a double, which
    // holds no ns of 2026.
    int64_t sum = 0;
    return __builtin_add_overflow(pair.wall_ns, Clamped(ns), &sum) ? pair.wall_ns : sum;
  };
  const auto after = pairs_.upper_bound(ticks);
  if (after == pairs_.begin()) return from(nearest, ns_per_tick_);
  const ClockPair& before = std::prev(after)->second;
  if (after == pairs_.end())
    return from(nearest.ticks > before.ticks && nearest.ticks <= ticks ? nearest : before,
                ns_per_tick_);
  // Between two comparisons. Where the system's clock was set in between, the rate of the counter
  // counts.
  // Subtracted before it is a double, which holds no ns of 2026.
  const auto between = static_cast<int64_t>(static_cast<uint64_t>(after->second.wall_ns) -
                                            static_cast<uint64_t>(before.wall_ns));
  const double rate =
      static_cast<double>(between) / static_cast<double>(after->first - before.ticks);
  const bool is_steady = rate > ns_per_tick_ * 0.9 && rate < ns_per_tick_ * 1.1;
  return from(before, is_steady ? rate : ns_per_tick_);
}

}  // namespace telltale
