// SPDX-License-Identifier: Apache-2.0
// What a region holds: one record as its reader (region_reader.h) hands it over, and what the
// region says of its process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "record/layout.h"

namespace telltale {

// The views are valid during the call that hands it over.
struct RegionRecord {
  enum class Kind : uint8_t {
    kName,       // a name was used for the first time
    kScalar,     // name, value, step
    kText,       // name, bytes, step
    kValue,      // name, bytes (an encoded Summary.Value), step
    kNote,       // name (the key), bytes (JSON)
    kSpanBegin,  // name
    kSpanEnd,
    kInstant,    // name
    kCounter,    // name, value
    kStepBegin,  // step
    kStepEnd,    // step, value (duration in ns; -1: unknown), data_wait_ns
    kHeartbeat,
  };
  Kind kind = Kind::kName;
  uint64_t thread = 0;         // the system's number
  uint64_t thread_serial = 0;  // tells apart threads that had the same number
  std::string_view name;
  uint32_t name_number = 0;  // of the region; 0: none
  int64_t wall_ns = 0;       // since 1970
  int64_t step = INT64_MIN;  // that: none
  double value = 0;
  std::string_view bytes;
  int64_t data_wait_ns = -1;  // that: unknown
};

struct RegionHeaderInfo {
  uint64_t pid = 0;
  uint64_t process_start = 0;  // clock ticks since boot, as in /proc/PID/stat
  uint64_t parent_pid = 0;     // of a process that was forked while its parent recorded; 0: none
  int64_t started_wall_ns = 0;
  int64_t last_heartbeat_ns = 0;  // 0: none
  int32_t rank = -1;              // -1: unknown
  int32_t local_rank = -1;
  int32_t world_size = 0;  // 0: unknown
  record::Role role = record::Role::kOther;
  record::ClockKind clock = record::ClockKind::kTsc;
  double ticks_per_second = 0;
  bool is_closed =
      false;  // the process said that it ends; records may still follow until it is gone
  uint64_t held_bytes = 0;  // waiting in its memory for room on the disk
  uint64_t lost = 0;        // durable records for which not even memory was left
  std::string program;
};

[[nodiscard]] std::string_view NameOf(record::Role role);

}  // namespace telltale
