// SPDX-License-Identifier: Apache-2.0
// What the memory analyses answer: rows for tables, JSON and charts. Definitions are in
// docs/analyses/memory.md. std::nullopt means the capture does not contain the value. Times are
// since 1970 where the input knows, else as written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace telltale {

// One moment of a device's curve.
struct MemoryPoint {
  int64_t time_ns = 0;
  int64_t allocated_bytes = 0;
  std::optional<int64_t> reserved_bytes;
  friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

// Text shared by rows of the report: an index into its texts.
using MemoryText = uint32_t;
constexpr MemoryText kNoMemoryText = UINT32_MAX;

// One block of memory. Without `allocated_ns` it was there before the recording began; without
// `released_ns` it was still there at its end (or addresses were not captured).
struct AllocationRow {
  uint32_t device = 0;  // index into MemoryReport::devices
  int64_t bytes = 0;
  std::optional<uint64_t> address;
  std::optional<int64_t> allocated_ns;
  std::optional<int64_t> released_ns;
  MemoryText op = kNoMemoryText;         // innermost operator that ran when it was allocated
  MemoryText parent_op = kNoMemoryText;  // the operator around that one
  MemoryText module = kNoMemoryText;
  MemoryText step = kNoMemoryText;
  MemoryText frame = kNoMemoryText;  // of snapshots: "train.py:12 forward"
};

// A share of what was allocated at the peak.
struct MemoryShare {
  std::string name;
  int64_t bytes = 0;
  std::optional<uint64_t> count;  // of blocks; none: not known
};

struct MemoryAtPeak {
  int64_t known_bytes = 0;               // in blocks whose allocation was recorded
  std::optional<int64_t> before_bytes;   // the rest of the peak: from before the recording
  std::vector<MemoryShare> by_operator;  // each by bytes, descending; "" where there is none
  std::vector<MemoryShare> by_module;    // empty: no modules captured
  std::vector<MemoryShare> by_step;      // empty: no steps captured
  std::vector<MemoryShare> by_frame;     // empty: not known
  std::vector<MemoryShare> by_category;  // empty: not known
  std::vector<AllocationRow> blocks;     // the largest
};

// An operator's memory on one device.
struct MemoryOperatorRow {
  std::string name;
  uint64_t calls = 0;
  int64_t size_increase_bytes = 0;
  int64_t self_size_increase_bytes = 0;
  uint64_t allocation_count = 0;
  uint64_t self_allocation_count = 0;
  int64_t allocation_bytes = 0;
  int64_t self_allocation_bytes = 0;
  uint64_t first_event = 0;
};

// How a category's part of the curve runs.
struct MemoryCategoryCurve {
  std::string name;
  std::vector<int64_t> bytes;  // one for each point of the curve
};

// What an allocator held when a snapshot was taken.
struct MemorySegments {
  uint64_t segment_count = 0;
  int64_t reserved_bytes = 0;
  int64_t allocated_bytes = 0;  // handed out, with what is rounded up
  int64_t requested_bytes = 0;  // what the program asked for of that
  int64_t awaiting_bytes = 0;   // given back, but some stream may still use it
  int64_t free_bytes = 0;       // in free blocks
  int64_t largest_free_bytes = 0;
  uint64_t out_of_memory_count = 0;  // events of that kind in the history
};

struct DeviceMemory {
  std::string type;  // cpu, cuda, hip …; empty: the input does not say
  std::optional<int64_t> id;
  std::string name;                    // empty: not captured
  std::optional<int64_t> total_bytes;  // what the device has
  bool relative = false;  // totals were not captured: the curve starts at 0 where recording began
  uint64_t allocation_count = 0;
  uint64_t release_count = 0;
  std::optional<uint64_t> released_from_before_count;  // none: addresses were not captured
  std::optional<uint64_t> never_released_count;
  std::vector<MemoryPoint> curve;  // reduced to kMostCurvePoints
  uint64_t point_count = 0;        // before that
  int64_t peak_allocated_bytes = 0;
  std::optional<int64_t> peak_ns;  // none: nothing happened in the selected time
  std::optional<std::string> peak_step;
  std::optional<int64_t> peak_reserved_bytes;
  std::optional<int64_t> fragmentation_at_peak_bytes;  // reserved - allocated
  std::optional<int64_t> fragmentation_max_bytes;
  std::optional<MemoryAtPeak> at_peak;          // none: addresses were not captured
  std::vector<MemoryCategoryCurve> categories;  // empty: not known
  std::optional<MemorySegments> segments;       // of snapshots
  std::vector<MemoryOperatorRow> operators;
};

struct LeakStep {
  std::string step;
  int64_t bytes = 0;
  uint64_t count = 0;
};

// Blocks that one place in the program leaves behind in every step.
struct LeakRow {
  uint32_t device = 0;
  std::string op;      // as MemoryShare::name
  std::string module;  // empty: none
  int64_t bytes = 0;   // over the checked steps
  uint64_t count = 0;
  std::vector<LeakStep> steps;
};

struct MemoryReport {
  std::vector<DeviceMemory> devices;
  std::vector<AllocationRow> allocations;  // by allocation (else release) time
  std::vector<std::string> texts;
  uint64_t left_out = 0;               // events of devices beyond those shown
  std::optional<uint64_t> leak_steps;  // how many were checked; none: too few to tell
  std::vector<LeakRow> leaks;          // by bytes, descending

  [[nodiscard]] const std::string* TextOf(MemoryText text) const {
    return text == kNoMemoryText ? nullptr : &texts[text];
  }
};

// "aten::addmm (aten::empty)": what only makes room is shown with the operator that wanted it.
[[nodiscard]] std::string ShownOperator(const std::string& op, const std::string* parent);

}  // namespace telltale
