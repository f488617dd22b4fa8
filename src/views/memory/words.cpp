// SPDX-License-Identifier: Apache-2.0
// What the view `memory` says in words.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "views/memory/memory_view.h"
#include "views/render/display.h"
#include "views/render/unit_column.h"

namespace telltale {

std::string DeviceSentence(const ShownDevice& shown, const OutputStyle& style) {
  const auto safe = [&](std::string_view text) { return Printable(text, style.unicode); };
  const DeviceMemory& device = shown.device();
  std::string text;
  if (!device.peak_ns && device.segments) {
    text = fmt::format(
        "{} were allocated of {} reserved on {} when the snapshot was taken; it has no history "
        "(torch.cuda.memory._record_memory_history() before the work adds it).",
        FormatBytes(device.segments->allocated_bytes), FormatBytes(device.segments->reserved_bytes),
        DeviceLabel(device));
    return text;
  }
  if (!device.peak_ns) {
    text = fmt::format("No memory of {} was allocated or released in the selected time.",
                       DeviceLabel(device));
    return text;
  }
  if (device.relative) {
    text = fmt::format("Up to {} more than when the recording began on {}",
                       FormatBytes(device.peak_allocated_bytes), DeviceLabel(device));
  } else {
    text =
        fmt::format("Peak {} on {}", FormatBytes(device.peak_allocated_bytes), DeviceLabel(device));
  }
  if (!shown.file->label.empty()) text += fmt::format(" of {}", safe(shown.file->label));
  if (device.peak_step) text += fmt::format(" in step {}", safe(*device.peak_step));
  if (device.total_bytes && !device.relative) {
    text += fmt::format(" ({} of the device)",
                        FormatShare(Ratio(device.peak_allocated_bytes, *device.total_bytes)));
  }
  if (device.at_peak && device.peak_allocated_bytes > 0) {
    const MemoryAtPeak& peak = *device.at_peak;
    std::vector<std::string> parts;
    const auto share = [&](int64_t bytes) {
      return FormatShare(Ratio(bytes, device.peak_allocated_bytes), 0);
    };
    if (peak.before_bytes.value_or(0) > 0)
      parts.push_back(share(*peak.before_bytes) + " from before the recording");
    for (const MemoryShare& row : peak.by_category) {
      if (parts.size() < 3) parts.push_back(share(row.bytes) + " " + safe(row.name));
    }
    for (const MemoryShare& row : peak.by_frame) {
      if (row.name.empty() || parts.size() >= 2) continue;
      parts.push_back(share(row.bytes) + " of " + safe(row.name));
    }
    for (const MemoryShare& row : peak.by_operator) {
      if (row.name.empty() || parts.size() >= 3) continue;
      parts.push_back(share(row.bytes) + " of " + safe(row.name));
    }
    if (!parts.empty()) text += fmt::format(": {}", fmt::join(parts, ", "));
  }
  text += ".";
  const std::vector<LeakRow>& leaks = shown.file->report.leaks;
  const auto leak = std::ranges::find(leaks, shown.number, &LeakRow::device);
  if (leak != leaks.end()) {
    const auto steps = static_cast<int64_t>(leak->steps.size());
    text += fmt::format(" Every step leaves {} of {} behind.",
                        FormatBytes(leak->bytes / std::max<int64_t>(steps, 1)),
                        leak->op.empty() ? "memory" : safe(leak->op));
  }
  return text;
}

const ShownDevice& MainDevice(const std::vector<ShownDevice>& devices) {
  return *std::max_element(
      devices.begin(), devices.end(), [](const ShownDevice& a, const ShownDevice& b) {
        const bool cpu_a = a.device().type == "cpu";
        const bool cpu_b = b.device().type == "cpu";
        return cpu_a != cpu_b ? cpu_a
                              : a.device().peak_allocated_bytes < b.device().peak_allocated_bytes;
      });
}

std::string DeviceLabel(const DeviceMemory& device) {
  if (device.type == "cpu") return "CPU";
  if (device.type.empty()) return "the device";
  std::string label = device.type == "cuda" || device.type == "hip" ? "GPU" : device.type;
  if (device.id) label += " " + std::to_string(*device.id);
  return label;
}

std::string MemorySentence(const MemoryView& view, const OutputStyle& style) {
  if (view.files.empty()) {
    return "No memory events in the trace. Record with profile_memory=True.";
  }
  if (!view.devices.empty()) return DeviceSentence(MainDevice(view.devices), style);
  std::vector<std::string> names;
  for (const MemoryOfFile& file : view.files) {
    for (const DeviceMemory& device : file.report.devices) names.push_back(DeviceLabel(device));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("No memory events of device '{}'. There are: {}.",
                     Printable(view.asked_device, style.unicode), fmt::join(names, ", "));
}

}  // namespace telltale
