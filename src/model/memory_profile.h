// SPDX-License-Identifier: Apache-2.0
// Memory over time without a trace around it: what torch's memory timelines and allocator snapshots
// hold. No parsing and no I/O here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/string_pool.h"
#include "model/profile_source.h"

namespace telltale {

enum class MemoryAction : uint8_t {
  kChange,         // of a timeline: bytes of a category come or go
  kAllocate,       // a block is handed out
  kFreeRequested,  // the program gives a block back
  kFreeCompleted,  // and the streams that used it are done with it
  kReserve,        // the allocator takes memory from the device
  kUnreserve,      // and returns it
  kOutOfMemory,
};

constexpr uint8_t kNoMemoryCategory = UINT8_MAX;

struct MemoryActionTable {
  Column<int64_t> time_ns;  // since 1970; kNoInt: before everything else
  Column<uint32_t> device;  // index into MemoryProfile::devices
  Column<MemoryAction> action;
  Column<int64_t> bytes;     // of kChange with its sign, else what the file says
  Column<uint64_t> address;  // kNoUint: none
  Column<uint8_t> category;  // index into MemoryProfile::categories
  Column<StringId> frame;    // where in the program; kNoString: not captured
  [[nodiscard]] size_t size() const { return time_ns.size(); }
};

enum class BlockState : uint8_t { kAllocated, kAwaitingFree, kFree, kOther };

// A piece of a segment, as it was when the snapshot was taken.
struct SnapshotBlock {
  uint32_t segment = 0;
  uint64_t address = kNoUint;
  int64_t bytes = 0;
  int64_t requested_bytes = kNoInt;
  BlockState state = BlockState::kOther;
  StringId frame = kNoString;
};

// A stretch of memory that the allocator holds.
struct SnapshotSegment {
  uint32_t device = 0;
  uint64_t address = kNoUint;
  int64_t total_bytes = 0;
  int64_t allocated_bytes = 0;
  int64_t active_bytes = 0;
};

struct MemoryDevice {
  std::string type;     // cuda …; empty: the file does not say
  int64_t id = kNoInt;  // kNoInt: the file does not say
};

struct MemoryProfile {
  ProfileSource source;
  Diagnostics diagnostics;
  StringPool strings;

  std::vector<MemoryDevice> devices;
  std::vector<std::string> categories;  // of timelines; empty for snapshots
  MemoryActionTable actions;            // of each device in file order
  // The state at the end; none for timelines.
  std::vector<SnapshotSegment> segments;
  std::vector<SnapshotBlock> blocks;

  [[nodiscard]] std::string_view Text(StringId id) const { return strings.Get(id); }
  // About.
  [[nodiscard]] size_t memory_bytes() const {
    const MemoryActionTable& a = actions;
    return strings.memory_bytes() + a.time_ns.memory_bytes() + a.device.memory_bytes() +
           a.action.memory_bytes() + a.bytes.memory_bytes() + a.address.memory_bytes() +
           a.category.memory_bytes() + a.frame.memory_bytes() +
           segments.size() * sizeof(SnapshotSegment) + blocks.size() * sizeof(SnapshotBlock);
  }
};

}  // namespace telltale
