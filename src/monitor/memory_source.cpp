// SPDX-License-Identifier: Apache-2.0
#include "monitor/memory_source.h"

#include <sys/statvfs.h>

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "monitor/text_cursor.h"

namespace telltale {

namespace {

// "Name:   123 kB" in bytes. `name` with the newline before it, but for the first one.
std::optional<double> BytesOf(std::string_view text, std::string_view name) {
  TextCursor cursor(text);
  if (!cursor.SkipBehind(name)) return std::nullopt;
  return static_cast<double>(cursor.Number()) * 1024;
}

}  // namespace

MemorySource::MemorySource(const SourceSetup& setup)
    : meminfo_(setup.proc_root + "/meminfo"), buffer_(setup.buffer) {
  if (!meminfo_.valid()) {
    setup.lacking.push_back(fmt::format("no memory: {}/meminfo cannot be read", setup.proc_root));
    return;
  }
  used_ = setup.readings.Add(Metric::kMemoryUsed);
  used_share_ = setup.readings.Add(Metric::kMemoryUsedShare);
  available_ = setup.readings.Add(Metric::kMemoryAvailable);
  cached_ = setup.readings.Add(Metric::kMemoryCached);
  shared_ = setup.readings.Add(Metric::kMemoryShared);
  total_ = setup.readings.Add(Metric::kMemoryTotal);
  swap_used_ = setup.readings.Add(Metric::kSwapUsed);
  swap_total_ = setup.readings.Add(Metric::kSwapTotal);
}

void MemorySource::Sample(const MonitorTick& /*tick*/, Readings& readings) {
  std::string_view text;
  if (!meminfo_.Read(buffer_, text)) return;
  const std::optional<double> total = BytesOf(text, "MemTotal:");
  const double cached = BytesOf(text, "\nCached:").value_or(0);
  std::optional<double> available = BytesOf(text, "\nMemAvailable:");
  if (!available) {  // before Linux 3.14
    if (const auto free = BytesOf(text, "\nMemFree:")) {
      available = *free + cached + BytesOf(text, "\nBuffers:").value_or(0);
    }
  }
  if (total && available && *total > 0) {
    const double used = *total - *available;
    readings.Put(used_, used);
    readings.Put(used_share_, 100 * used / *total);
    readings.Put(available_, *available);
    readings.Put(total_, *total);
    readings.Put(cached_, cached);
  }
  if (const auto shared = BytesOf(text, "\nShmem:")) readings.Put(shared_, *shared);
  const std::optional<double> swap = BytesOf(text, "\nSwapTotal:");
  const std::optional<double> swap_free = BytesOf(text, "\nSwapFree:");
  if (swap && swap_free && *swap > 0) {
    readings.Put(swap_used_, *swap - *swap_free);
    readings.Put(swap_total_, *swap);
  }
}

FolderSource::FolderSource(const SourceSetup& setup, std::string folder)
    : folder_(std::move(folder)), free_(setup.readings.Add(Metric::kFolderFree)) {}

void FolderSource::Sample(const MonitorTick& tick, Readings& readings) {
  if (!tick.is_slow) return;
  struct statvfs info = {};
  if (::statvfs(folder_.c_str(), &info) != 0) return;
  readings.Put(free_, static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize));
}

}  // namespace telltale
