// SPDX-License-Identifier: Apache-2.0
// What a reader remembers of one packet sequence: texts by number, defaults, the last time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "formats/memory_meter.h"
#include "formats/perfetto/texts.h"

namespace telltale::perfetto {

struct SequenceState {
  TextTable categories;
  TextTable event_names;
  AnnotationTexts annotations;

  uint64_t default_track = 0;
  uint64_t default_clock = 0;
  std::vector<uint64_t> extra_counters;
  std::vector<uint64_t> extra_double_counters;
  uint64_t thread_track = 0;  // of an old thread descriptor
  int64_t last_time_us = 0;   // for old time deltas
  std::unordered_map<uint64_t, uint64_t> incremental_clocks;

  [[nodiscard]] size_t memory_bytes() const {
    return categories.memory_bytes() + event_names.memory_bytes() + annotations.memory_bytes() +
           (extra_counters.capacity() + extra_double_counters.capacity()) * sizeof(uint64_t) +
           MemoryOfNodes(incremental_clocks);
  }

  void ClearIncrementalState() {
    categories.Clear();
    event_names.Clear();
    annotations.Clear();
    default_track = default_clock = thread_track = 0;
    extra_counters.clear();
    extra_double_counters.clear();
    incremental_clocks.clear();
  }
};

}  // namespace telltale::perfetto
