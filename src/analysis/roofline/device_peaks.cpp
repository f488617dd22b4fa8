// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/device_peaks.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace telltale {

namespace {

constexpr std::array<std::string_view, kPeakKindCount> kNames = {
    "fp64", "fp32", "fp32_matrix", "tf32", "fp16", "bf16", "fp8", "int8", "memory"};

// In 10¹² per second: fp64, fp32, fp32_matrix, tf32, fp16 and bf16, fp8, int8, memory.
constexpr DevicePeaks Tera(double fp64, double fp32, double fp32_matrix, double tf32, double half,
                           double bf16, double fp8, double int8, double memory) {
  DevicePeaks peaks{{fp64, fp32, fp32_matrix, tf32, half, bf16, fp8, int8, memory}};
  for (double& value : peaks.per_second) value *= 1e12;
  return peaks;
}

constexpr int64_t k80Gb = 64'000'000'000;  // more than the variant with 40 GB has

// More special names come first.
constexpr auto kDevices = std::to_array<KnownDevice>({
    {"B200", "B200", 0, Tera(37, 75, 0, 1100, 2250, 2250, 4500, 4500, 8.0)},
    {"H200", "H200", 0, Tera(33.5, 66.9, 0, 494.7, 989.4, 989.4, 1978.9, 1978.9, 4.8)},
    {"H100 PCIe", "H100 PCIe", 0, Tera(25.6, 51.2, 0, 378, 756, 756, 1513, 1513, 2.0)},
    {"H100 NVL", "H100 NVL", 0, Tera(30, 60, 0, 417.5, 835.5, 835.5, 1671, 1671, 3.9)},
    {"H100 SXM", "H100", 0, Tera(33.5, 66.9, 0, 494.7, 989.4, 989.4, 1978.9, 1978.9, 3.35)},
    {"H20", "H20, unconfirmed", 0, Tera(1.0, 44, 0, 74, 148, 148, 296, 296, 4.0)},
    {"A100 80 GB PCIe", "A100 PCIe", k80Gb, Tera(9.7, 19.5, 0, 156, 312, 312, 0, 624, 1.935)},
    {"A100 80 GB SXM", "A100", k80Gb, Tera(9.7, 19.5, 0, 156, 312, 312, 0, 624, 2.039)},
    {"A100 40 GB", "A100", 0, Tera(9.7, 19.5, 0, 156, 312, 312, 0, 624, 1.555)},
    {"V100 PCIe", "V100 PCIe", 0, Tera(7.0, 14.0, 0, 0, 112, 0, 0, 0, 0.9)},
    {"V100 SXM2", "V100", 0, Tera(7.8, 15.7, 0, 0, 125, 0, 0, 0, 0.9)},
    {"L40S", "L40S", 0, Tera(1.43, 91.6, 0, 183, 362, 362, 733, 733, 0.864)},
    {"L40", "L40", 0, Tera(1.41, 90.5, 0, 90.5, 181, 181, 362, 362, 0.864)},
    {"L4", "L4", 0, Tera(0.47, 30.3, 0, 60.5, 121, 121, 242.5, 242.5, 0.3)},
    {"A40", "A40", 0, Tera(0.58, 37.4, 0, 74.8, 149.7, 149.7, 0, 299.3, 0.696)},
    {"A30", "A30", 0, Tera(5.2, 10.3, 0, 82, 165, 165, 0, 330, 0.933)},
    {"A10", "A10", 0, Tera(0.49, 31.2, 0, 62.5, 125, 125, 0, 250, 0.6)},
    {"T4", "T4", 0, Tera(0.25, 8.1, 0, 0, 65, 0, 0, 130, 0.32)},
    {"RTX 4090", "RTX 4090", 0, Tera(1.29, 82.6, 0, 82.6, 165.2, 165.2, 330.3, 660.6, 1.008)},
    {"RTX 3090", "RTX 3090", 0, Tera(0.56, 35.6, 0, 35.6, 71, 71, 0, 284, 0.936)},
    {"MI355X", "MI355X", 0, Tera(78.6, 157.3, 157.3, 0, 2516.6, 2516.6, 5033.2, 5033.2, 8.0)},
    {"MI350X", "MI350X, unconfirmed", 0,
     Tera(72.1, 144.2, 144.2, 0, 2306.9, 2306.9, 4613.7, 4613.7, 8.0)},
    {"MI325X", "MI325X", 0, Tera(81.7, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 6.0)},
    {"MI300X", "MI300X", 0, Tera(81.7, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 5.3)},
    {"MI300A", "MI300A, unconfirmed", 0,
     Tera(61.3, 122.6, 122.6, 490.3, 980.6, 980.6, 1961.2, 1961.2, 5.3)},
    // Each of the two dies is a device of its own.
    {"MI250X (one die)", "MI250X", 0, Tera(23.9, 23.9, 47.9, 0, 191.5, 191.5, 0, 191.5, 1.638)},
    {"MI250 (one die)", "MI250", 0, Tera(22.6, 22.6, 45.3, 0, 181, 181, 0, 181, 1.638)},
    {"MI210", "MI210", 0, Tera(22.6, 22.6, 45.3, 0, 181, 181, 0, 181, 1.638)},
});

bool IsWordCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool StartsWithWord(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (Lower(text[i]) != Lower(word[i])) return false;
  }
  return text.size() == word.size() || !IsWordCharacter(text[word.size()]);
}

// Whether the word stands by itself in the name: "L4" is not in "L40S". Vendors write
// "A100-SXM4-80GB", "A100-PCIE-40GB", "A100 80GB PCIe".
bool HasWord(std::string_view name, std::string_view word) {
  for (size_t at = 0; at < name.size(); ++at) {
    const bool starts = at == 0 || !IsWordCharacter(name[at - 1]);
    if (starts && StartsWithWord(name.substr(at), word)) return true;
  }
  return false;
}

bool Matches(std::string_view name, std::string_view words) {
  while (!words.empty()) {
    const size_t space = words.find(' ');
    if (!HasWord(name, words.substr(0, space))) return false;
    words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
  }
  return true;
}

std::string_view Trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string_view NameOf(PeakKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::span<const KnownDevice> KnownDevices() { return kDevices; }

const KnownDevice* DeviceNamed(std::string_view name, int64_t memory_bytes) {
  for (const KnownDevice& device : kDevices) {
    if (device.least_memory_bytes > 0 && memory_bytes < device.least_memory_bytes) continue;
    if (Matches(name, device.matches)) return &device;
  }
  return nullptr;
}

Result<DevicePeaks> ParseDevicePeaks(std::string_view text) {
  DevicePeaks peaks;
  bool any = false;
  while (!text.empty()) {
    const size_t line_end = text.find('\n');
    std::string_view line = text.substr(0, line_end);
    text = line_end == std::string_view::npos ? std::string_view() : text.substr(line_end + 1);
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      const size_t comma = line.find(',');
      const std::string_view entry = Trimmed(line.substr(0, comma));
      line = comma == std::string_view::npos ? std::string_view() : line.substr(comma + 1);
      if (entry.empty()) continue;
      const size_t equals = entry.find('=');
      const std::string_view name = Trimmed(entry.substr(0, equals));
      const auto known = std::find(kNames.begin(), kNames.end(), name);
      if (known == kNames.end() || equals == std::string_view::npos) {
        return Fail(ErrorCode::kUsage,
                    fmt::format("'{}' is no peak; expected NAME=NUMBER, NAME one of {}", entry,
                                fmt::join(kNames, ", ")));
      }
      const std::string_view number = Trimmed(entry.substr(equals + 1));
      double value = 0;
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc() || end != number.data() + number.size() ||
          !(value > 0 && std::isfinite(value))) {
        return Fail(ErrorCode::kUsage,
                    fmt::format("{}={} is no number of operations or bytes per second, such as "
                                "989e12",
                                name, number));
      }
      peaks.per_second[static_cast<size_t>(known - kNames.begin())] = value;
      any = true;
    }
  }
  if (!any) {
    return Fail(ErrorCode::kUsage,
                "no peaks given; expected for example fp16=989e12,memory=3.35e12");
  }
  double& half = peaks.per_second[static_cast<size_t>(PeakKind::kFp16)];
  double& brain = peaks.per_second[static_cast<size_t>(PeakKind::kBf16)];
  if (half == 0) half = brain;
  if (brain == 0) brain = half;
  return peaks;
}

}  // namespace telltale
