// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/clocks.h"

#include <algorithm>
#include <vector>

#include "base/protobuf.h"
#include "formats/perfetto/fields.h"

namespace telltale::perfetto {

void Clocks::Read(std::string_view message, SequenceState& sequence) {
  struct Seen {
    uint64_t id = 0;
    uint64_t time = 0;
    uint64_t multiplier = 1;
    bool incremental = false;
  };
  std::vector<Seen> seen;
  for (MessageReader reader(message); reader.Next();) {
    const Field& f = reader.field();
    if (f.number == clocks::kPrimary && f.IsNumber() && !has_primary_) {
      primary_ = f.value;
      has_primary_ = true;
    }
    if (f.number != clocks::kClock || !f.IsBytes()) continue;
    Seen clock;
    for (MessageReader inner(f.bytes); inner.Next();) {
      const Field& g = inner.field();
      if (!g.IsNumber()) continue;
      if (g.number == clocks::kId) clock.id = g.value;
      if (g.number == clocks::kTimestamp) clock.time = g.value;
      if (g.number == clocks::kIsIncremental) clock.incremental = g.value != 0;
      if (g.number == clocks::kUnitMultiplierNs && g.value != 0) clock.multiplier = g.value;
    }
    seen.push_back(clock);
  }
  const auto primary = std::find_if(seen.begin(), seen.end(),
                                    [&](const Seen& clock) { return clock.id == primary_; });
  for (const Seen& clock : seen) {
    if (clock.incremental) sequence.incremental_clocks[clock.id] = clock.time;
    if (primary == seen.end()) continue;
    // A later snapshot of the same clock does not move what was read before.
    known_.try_emplace(clock.id,
                       Known{primary->time * primary->multiplier - clock.time * clock.multiplier,
                             clock.multiplier});
    if (clock.id == clocks::kRealtime && !realtime_offset_) {
      realtime_offset_ =
          static_cast<int64_t>(clock.time * clock.multiplier - primary->time * primary->multiplier);
    }
  }
}

uint64_t Clocks::ToTraceTime(uint64_t time, uint64_t clock, SequenceState& sequence) const {
  if (clock == 0) return time;
  const auto incremental = sequence.incremental_clocks.find(clock);
  if (incremental != sequence.incremental_clocks.end()) time = incremental->second += time;
  const auto known = known_.find(clock);
  if (known == known_.end()) return time;
  return time * known->second.multiplier + known->second.to_trace;
}

}  // namespace telltale::perfetto
