// SPDX-License-Identifier: Apache-2.0
// The [memory] instants of a trace, put in order: by thread for the question which operator they
// belong to, by time and device for curves and life times.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "model/trace.h"

namespace telltale {

// Rows of Trace::memory, gathered by track; within a track by time, then in file order.
struct InstantsByTrack {
  std::vector<uint32_t> first;  // by track, and one more: where its instants begin
  std::vector<uint32_t> rows;
};
[[nodiscard]] InstantsByTrack GatherInstants(const Trace& trace);

// Where memory is, by torch's DeviceType.
struct MemoryPlace {
  int16_t type = -1;  // -1: not captured
  int32_t id = -1;    // -1: the only one, or not captured
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};
// "cpu", "cuda", "hip" …; "other" for numbers torch has not given yet and where none was captured.
[[nodiscard]] std::string_view MemoryTypeName(int16_t device_type);

// More devices than any machine has: beyond, instants are only counted, so that the work stays
// proportional to the events.
constexpr size_t kMostMemoryPlaces = 64;

// The instants of one device by time, then in file order.
struct PlaceInstants {
  MemoryPlace place;
  std::vector<uint32_t> rows;
};
struct InstantsByPlace {
  std::vector<PlaceInstants> places;  // CPU last, else by type and id
  uint64_t left_out = 0;              // instants of devices beyond kMostMemoryPlaces
};
[[nodiscard]] InstantsByPlace GatherInstantsByPlace(const Trace& trace);

}  // namespace telltale
