// SPDX-License-Identifier: Apache-2.0
// From the ticks of a region's records to the time of day: by the comparisons of both clocks that
// its process makes again and again, and keeps in the region's header.
#pragma once

#include <cstdint>
#include <map>

#include "collect/region_file.h"
#include "record/layout.h"

namespace telltale {

class RegionClock {
 public:
  // Takes the comparisons that are new since the last time.
  void Read(const RegionFile& file, const record::RegionHeader& header);

  // `nearest`: a comparison that is known otherwise.
  [[nodiscard]] int64_t WallOf(uint64_t ticks, const record::ClockPair& nearest) const;
  // By the last comparison; 0: there is none.
  [[nodiscard]] int64_t WallOf(uint64_t ticks) const;
  [[nodiscard]] double ns_per_tick() const { return ns_per_tick_; }

 private:
  std::map<uint64_t, record::ClockPair> pairs_;  // by ticks
  uint32_t pairs_read_ = 0;
  double ns_per_tick_ = 1;
};

}  // namespace telltale
