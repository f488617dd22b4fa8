// SPDX-License-Identifier: Apache-2.0
// The tables of the view `memory`. Rows are views into its reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/memory/memory_view.h"
#include "views/table_spec.h"

namespace telltale {

[[nodiscard]] TableSpec<ShownDevice> MemoryDeviceTable();
// `frames`: people see places in the program instead of operators.
[[nodiscard]] TableSpec<AllocationView> AllocationTable(bool frames = false);
// Parts of a peak, by what the title names.
[[nodiscard]] TableSpec<MemoryShare> MemoryShareTable(std::string title, int64_t peak_bytes = 0);
[[nodiscard]] TableSpec<MemoryOperatorRow> MemoryOperatorTable();
[[nodiscard]] TableSpec<LeakView> LeakTable();
// The leaks of files, a row a file that was checked.
[[nodiscard]] TableSpec<const MemoryOfFile*> CheckedFileTable();

// A line of what an allocator held when a snapshot was taken.
struct SegmentRow {
  std::string_view name;
  int64_t bytes = 0;
  double share = 0;
};
[[nodiscard]] TableSpec<SegmentRow> SegmentTable();
[[nodiscard]] std::vector<SegmentRow> SegmentRows(const MemorySegments& segments);

}  // namespace telltale
