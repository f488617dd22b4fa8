// SPDX-License-Identifier: Apache-2.0
// What the memory section shows: the reports of all files, the devices that were asked for, and
// the rows that become CSV. memory.cpp writes JSON and CSV, memory_text.cpp the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/memory/report.h"
#include "views/fields.h"
#include "views/render/terminal.h"

namespace telltale {

struct FileMemory {
  uint32_t file = 0;           // index into the profile's files
  std::string label;           // "rank 3", the file's name …; empty where there is one file
  const MemoryReport& report;  // one of MemoryView::reports
};

// One device of one file.
struct ShownDevice {
  const FileMemory* file = nullptr;
  uint32_t number = 0;  // index into the report's devices
  [[nodiscard]] const DeviceMemory& device() const { return file->report.devices[number]; }
};

// One block; points into a FileMemory.
struct AllocationView {
  const FileMemory* file = nullptr;
  const AllocationRow* row = nullptr;
};
[[nodiscard]] const RowFields<AllocationView>& AllocationFields();
[[nodiscard]] std::string_view SortName(const AllocationView& view);

struct MemoryView {
  std::shared_ptr<const std::vector<MemoryReport>> reports;
  std::vector<FileMemory> files;
  std::vector<ShownDevice> devices;         // of all files, or those that --device names
  std::vector<AllocationView> allocations;  // of those devices
  std::string asked_device;                 // --device as given
  bool without_trace = false;               // some file is a timeline or snapshot
  bool show_allocations = false;            // as a table of the text, and in JSON
  std::string order;                        // of the allocations, for the heading
};

// "GPU 0", "CPU", "xpu 0".
[[nodiscard]] std::string DeviceLabel(const DeviceMemory& device);

[[nodiscard]] std::string MemoryViewText(const MemoryView& view, std::optional<int64_t> limit,
                                         const OutputStyle& style);

// The peak and what it was made of, in a sentence or two.
[[nodiscard]] std::string MemoryAnswer(const MemoryView& view, const OutputStyle& style);

}  // namespace telltale
