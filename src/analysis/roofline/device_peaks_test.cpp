// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/device_peaks.h"

#include <gtest/gtest.h>

#include <string>

namespace telltale {
namespace {

std::string Known(std::string_view name, int64_t memory_bytes = -1) {
  const KnownDevice* device = DeviceNamed(name, memory_bytes);
  return device == nullptr ? "" : std::string(device->name);
}

TEST(DevicePeaks, FindsDevicesByTheNamesThatTracesHold) {
  EXPECT_EQ(Known("NVIDIA H100 80GB HBM3"), "H100 SXM");
  EXPECT_EQ(Known("NVIDIA H100 PCIe"), "H100 PCIe");
  EXPECT_EQ(Known("NVIDIA H200"), "H200");
  EXPECT_EQ(Known("NVIDIA A100-SXM4-40GB", 42'000'000'000), "A100 40 GB");
  EXPECT_EQ(Known("NVIDIA A100-SXM4-80GB", 85'000'000'000), "A100 80 GB SXM");
  EXPECT_EQ(Known("NVIDIA A100 80GB PCIe", 85'000'000'000), "A100 80 GB PCIe");
  EXPECT_EQ(Known("NVIDIA A100-PCIE-40GB", 42'000'000'000), "A100 40 GB");
  EXPECT_EQ(Known("NVIDIA A100-PG509-200"), "A100 40 GB");
  EXPECT_EQ(Known("Tesla V100-SXM2-32GB"), "V100 SXM2");
  EXPECT_EQ(Known("Tesla V100-PCIE-16GB"), "V100 PCIe");
  EXPECT_EQ(Known("Tesla T4"), "T4");
  EXPECT_EQ(Known("NVIDIA L4"), "L4");
  EXPECT_EQ(Known("NVIDIA L40S"), "L40S");
  EXPECT_EQ(Known("AMD Instinct MI300X"), "MI300X");
  EXPECT_EQ(Known("AMD Instinct MI250X"), "MI250X (one die)");
  EXPECT_EQ(Known("NVIDIA GeForce RTX 4090"), "RTX 4090");
  EXPECT_EQ(Known("AMD Radeon Graphics"), "");
  EXPECT_EQ(Known(""), "");
}

TEST(DevicePeaks, EveryRowOfTheTableIsReachableAndHasAMemory) {
  for (const KnownDevice& device : KnownDevices()) {
    EXPECT_EQ(DeviceNamed(device.matches, device.least_memory_bytes), &device) << device.name;
    EXPECT_TRUE(device.peaks.Of(PeakKind::kMemory)) << device.name;
    EXPECT_TRUE(device.peaks.Of(PeakKind::kFp32)) << device.name;
    EXPECT_TRUE(device.peaks.Of(PeakKind::kFp16)) << device.name;
  }
}

TEST(DevicePeaks, ReadsWhatTheUserSays) {
  const auto peaks = ParseDevicePeaks("fp16=989e12, fp32=67e12,memory=3.35e12");
  ASSERT_TRUE(peaks);
  EXPECT_EQ(peaks->Of(PeakKind::kFp16), 989e12);
  EXPECT_EQ(peaks->Of(PeakKind::kBf16), 989e12);
  EXPECT_EQ(peaks->Of(PeakKind::kMemory), 3.35e12);
  EXPECT_EQ(peaks->Of(PeakKind::kFp64), std::nullopt);
  const auto lines = ParseDevicePeaks("# our box\nbf16 = 1e12\r\n\nmemory=2e11 # measured\n");
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->Of(PeakKind::kFp16), 1e12);
  EXPECT_EQ(lines->Of(PeakKind::kMemory), 2e11);
}

TEST(DevicePeaks, RefusesWhatItDoesNotKnow) {
  for (const std::string_view text : {"", "#", "fp16", "fp17=1", "fp16=", "fp16=x", "fp16=-1",
                                      "fp16=0", "fp16=inf", "fp16=1 2", "fp16=1;memory=2"}) {
    EXPECT_FALSE(ParseDevicePeaks(text)) << text;
  }
}

}  // namespace
}  // namespace telltale
