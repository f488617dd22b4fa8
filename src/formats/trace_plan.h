// SPDX-License-Identifier: Apache-2.0
// What of a trace goes into a converted file, and under which names: made once before the events
// are written, because some formats describe tracks before anything stands on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"

namespace telltale {

struct PlannedProcess {
  std::string pid;  // JSON: a number or a string
  std::string name;
  std::string labels;
  int64_t sort_index = kNoInt;
};

struct PlannedTrack {
  std::string tid;  // JSON: a number or a string
  std::string name;
  int64_t sort_index = kNoInt;
  uint32_t process = 0;
};

struct TracePlan {
  const Trace* trace = nullptr;
  std::vector<PlannedProcess> processes;  // as trace->processes
  std::vector<PlannedTrack> tracks;       // as trace->tracks
  int64_t shift_ns = 0;                   // added to every time
  // Rows that stay; empty: all of them.
  std::vector<bool> spans;
  std::vector<bool> memory;
  std::vector<bool> flows;
  std::vector<bool> counters;
  std::vector<bool> instants;

  [[nodiscard]] static bool Keeps(const std::vector<bool>& rows, size_t row) {
    return rows.empty() || rows[row];
  }
};

// Everything under its own names.
[[nodiscard]] TracePlan PlanWholeTrace(const Trace& trace);
// A pid or tid as JSON: the number, or the text in quotes.
[[nodiscard]] std::string JsonOfKey(const Trace& trace, const TrackKey& key);

}  // namespace telltale
