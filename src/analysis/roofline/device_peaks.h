// SPDX-License-Identifier: Apache-2.0
// What a device can do at most: operations per second by type of number, and bytes per second from
// its memory. From a table of vendors' data sheets (docs/analyses/roofline.md names them), or as
// the user says. Dense figures; sparsity is not counted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

enum class PeakKind : uint8_t {
  kFp64,
  kFp32,        // without tensor or matrix cores
  kFp32Matrix,  // matrix cores that work in full fp32 (AMD)
  kTf32,
  kFp16,  // from here on with tensor or matrix cores
  kBf16,
  kFp8,
  kInt8,
  kMemory,  // bytes per second
};
constexpr size_t kPeakKindCount = 9;
[[nodiscard]] std::string_view NameOf(PeakKind kind);

struct DevicePeaks {
  std::array<double, kPeakKindCount> per_second = {};  // 0: not known

  [[nodiscard]] std::optional<double> Of(PeakKind kind) const {
    const double value = per_second[static_cast<size_t>(kind)];
    return value > 0 ? std::optional(value) : std::nullopt;
  }
};

struct KnownDevice {
  std::string_view name;           // for people
  std::string_view matches;        // words, all of which the device's name contains, in any case
  int64_t least_memory_bytes = 0;  // of the variants with and without
  DevicePeaks peaks;
};

// The first match counts.
[[nodiscard]] std::span<const KnownDevice> KnownDevices();
// nullptr: not in the table. By the name that the trace has, "NVIDIA H100 80GB HBM3", and the size
// of its memory, which is negative where it is not known.
[[nodiscard]] const KnownDevice* DeviceNamed(std::string_view name, int64_t memory_bytes);

// "fp16=989e12,fp32=67e12,memory=3.35e12"; also one to a line, # begins a remark. Where only one of
// fp16 and bf16 is given it stands for both.
[[nodiscard]] Result<DevicePeaks> ParseDevicePeaks(std::string_view text);

}  // namespace telltale
