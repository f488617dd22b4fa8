// SPDX-License-Identifier: Apache-2.0
// What the view `memory` shows: the reports of all files and the devices that were asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/memory/report.h"
#include "model/artifact_id.h"
#include "views/render/terminal.h"

namespace telltale {

struct MemoryOfFile {
  ArtifactId id;
  std::string label;           // "rank 3", the file's name …; empty where there is one file
  const MemoryReport& report;  // one of MemoryView::reports
};

// One device of one file.
struct ShownDevice {
  const MemoryOfFile* file = nullptr;
  uint32_t number = 0;        // index into the report's devices
  size_t curves = 1;          // that share the room of a document
  std::string sentence = {};  // about it, for the page
  [[nodiscard]] const DeviceMemory& device() const { return file->report.devices[number]; }
};

// One block; points into a MemoryOfFile.
struct AllocationView {
  const MemoryOfFile* file = nullptr;
  const AllocationRow* row = nullptr;
  [[nodiscard]] const DeviceMemory& device() const { return file->report.devices[row->device]; }
};

// What every step leaves behind in one place; points into a MemoryOfFile.
struct LeakView {
  const MemoryOfFile* file = nullptr;
  const LeakRow* row = nullptr;
  [[nodiscard]] const DeviceMemory& device() const { return file->report.devices[row->device]; }
};

struct MemoryView {
  std::shared_ptr<const std::vector<MemoryReport>> reports;
  std::vector<MemoryOfFile> files;
  std::vector<ShownDevice> devices;  // of all files, or those that --device names
  std::string asked_device;          // --device as given
};

// "GPU 0", "CPU", "xpu 0".
[[nodiscard]] std::string DeviceLabel(const DeviceMemory& device);

// The device that matters: the highest peak, devices before the CPU. There is one.
[[nodiscard]] const ShownDevice& MainDevice(const std::vector<ShownDevice>& devices);

// The peak of a device and what it was made of, in a sentence or two.
[[nodiscard]] std::string DeviceSentence(const ShownDevice& shown, const OutputStyle& style);
// That of the device that matters; where there is none, why.
[[nodiscard]] std::string MemorySentence(const MemoryView& view, const OutputStyle& style);

}  // namespace telltale
