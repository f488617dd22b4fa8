// SPDX-License-Identifier: Apache-2.0
#include "monitor/amdgpu_source.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "io/folder_entries.h"
#include "monitor/text_cursor.h"

namespace telltale {

namespace {

constexpr std::string_view kAmd = "0x1002";

std::string ReadLine(const std::string& path, TextBuffer& buffer) {
  KeptFile file(path);
  std::string_view text;
  return file.Read(buffer, text) ? std::string(text.substr(0, text.find('\n'))) : std::string();
}

// card7: 7, but neither card7-DP-1 nor renderD128.
std::optional<int> CardNumber(std::string_view name) {
  int number = 0;
  if (!name.starts_with("card")) return std::nullopt;
  name.remove_prefix(4);
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace

AmdGpuSource::AmdGpuSource(const SourceSetup& setup, size_t first,
                           std::vector<MonitoredDevice>& devices)
    : buffer_(setup.buffer) {
  const std::string drm = setup.sys_root + "/class/drm";
  std::vector<int> cards;
  std::error_code error;
  for (FolderEntries entries(drm, error); !error && entries.Next(error);) {
    if (const auto number = CardNumber(entries.name())) cards.push_back(*number);
  }
  std::ranges::sort(cards);
  for (const int card : cards) {
    const std::string folder = fmt::format("{}/card{}/device", drm, card);
    if (ReadLine(folder + "/vendor", buffer_) != kAmd) continue;
    const std::string number = std::to_string(first + gpus_.size());
    Open(setup, folder, number);
    std::string name = ReadLine(folder + "/product_name", buffer_);
    devices.push_back({"gpu" + number, name.empty() ? "AMD GPU" : std::move(name)});
  }
}

void AmdGpuSource::Open(const SourceSetup& setup, const std::string& folder,
                        const std::string& number) {
  Gpu& gpu = gpus_.emplace_back();
  const auto open = [&](const std::string& file, double factor, Metric metric) {
    Value value{KeptFile(file), factor, 0};
    if (value.file.valid()) value.series = setup.readings.Add(metric, number);
    return value;
  };
  const auto add = [&](const std::string& file, double factor, Metric metric) {
    Value value = open(file, factor, metric);
    if (value.file.valid()) gpu.values.push_back(std::move(value));
  };
  add(folder + "/gpu_busy_percent", 1, Metric::kGpuUtilization);
  add(folder + "/mem_busy_percent", 1, Metric::kGpuMemoryController);
  gpu.used = open(folder + "/mem_info_vram_used", 1, Metric::kGpuMemoryUsed);
  gpu.total = open(folder + "/mem_info_vram_total", 1, Metric::kGpuMemoryTotal);
  if (gpu.total.file.valid()) {
    gpu.used_share = setup.readings.Add(Metric::kGpuMemoryUsedShare, number);
  }
  std::string hwmon;
  std::error_code error;
  for (FolderEntries entries(folder + "/hwmon", error); !error && entries.Next(error);) {
    if (entries.name().starts_with("hwmon")) hwmon = entries.path();
  }
  if (hwmon.empty()) return;
  // Which of the two there is depends on the generation.
  gpu.power = open(hwmon + "/power1_average", 1e-6, Metric::kGpuPower);
  if (!gpu.power.file.valid()) gpu.power = open(hwmon + "/power1_input", 1e-6, Metric::kGpuPower);
  if (gpu.power.file.valid()) gpu.energy = setup.readings.Add(Metric::kGpuEnergy, number);
  add(hwmon + "/power1_cap", 1e-6, Metric::kGpuPowerLimit);
  add(hwmon + "/temp1_input", 1e-3, Metric::kGpuTemperature);
  add(hwmon + "/freq1_input", 1e-6, Metric::kGpuClock);
  add(hwmon + "/freq2_input", 1e-6, Metric::kGpuMemoryClock);
}

std::optional<double> AmdGpuSource::Read(Value& value) {
  std::string_view text;
  if (!value.file.valid() || !value.file.Read(buffer_, text)) return std::nullopt;
  TextCursor cursor(text);
  // Temperatures may be below zero.
  const bool is_negative = cursor.Take("-");
  if (!cursor.at_digit()) return std::nullopt;
  const double number = static_cast<double>(cursor.Number()) * value.factor;
  return is_negative ? -number : number;
}

void AmdGpuSource::Sample(const MonitorTick& tick, Readings& readings) {
  for (Gpu& gpu : gpus_) {
    for (Value& value : gpu.values) {
      if (const auto number = Read(value)) readings.Put(value.series, *number);
    }
    const std::optional<double> used = Read(gpu.used);
    const std::optional<double> total = Read(gpu.total);
    if (used) readings.Put(gpu.used.series, *used);
    if (total) readings.Put(gpu.total.series, *total);
    if (used && total && *total > 0) readings.Put(gpu.used_share, 100 * *used / *total);
    if (const auto watts = Read(gpu.power)) {
      gpu.meter.Add(*watts, tick.elapsed_s);
      readings.Put(gpu.power.series, *watts);
      readings.Put(gpu.energy, gpu.meter.joules());
    }
  }
}

}  // namespace telltale
