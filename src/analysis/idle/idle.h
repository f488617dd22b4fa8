// SPDX-License-Identifier: Apache-2.0
// When devices and streams had nothing to run, and why. A gap is a time between two device events
// in which none ran; its cause follows from when the event after it was launched and from what the
// launching thread did until then. docs/analyses/idle.md has the exact definitions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"

namespace telltale {

enum class IdleCause : uint8_t {
  kHostWait,         // launched only after the gap began
  kSynchronisation,  // the same, because the host waited for the device when the gap began
  kInput,            // the same, because the host waited for its DataLoader
  kKernelWait,       // launched before, and the gap is shorter than kKernelWaitNs
  kOther,            // launched before, and it still took longer; or the launch is not in the trace
};
constexpr size_t kIdleCauseCount = 5;
[[nodiscard]] std::string_view NameOf(IdleCause cause);

// What a device commonly needs between two kernels that are queued.
constexpr int64_t kKernelWaitNs = 30'000;

struct IdleRow {
  uint32_t file = 0;
  int64_t device = 0;
  std::optional<int64_t> stream;  // none: all streams of the device together
  bool whole_device = false;
  uint64_t events = 0;
  int64_t window_ns = 0;  // first start to last end
  int64_t busy_ns = 0;
  int64_t idle_ns = 0;  // window less busy
  uint64_t gaps = 0;
  // None without gaps.
  std::optional<int64_t> gap_min_ns;
  std::optional<int64_t> gap_mean_ns;
  std::optional<int64_t> gap_max_ns;
  std::array<int64_t, kIdleCauseCount> cause_ns = {};
  std::array<uint64_t, kIdleCauseCount> cause_gaps = {};
};

// One of the longest gaps of a device.
struct IdleGap {
  uint32_t file = 0;
  int64_t device = 0;
  std::optional<int64_t> stream;  // of the event after it
  int64_t start_ns = 0;           // since 1970 where the trace knows
  int64_t duration_ns = 0;
  IdleCause cause = IdleCause::kOther;
  std::string before;  // device events around it
  std::string after;
  // What the launching thread spent most of the gap on (by self time), until the launch.
  std::optional<std::string> host;
  std::optional<int64_t> host_ns;
};

struct IdleReport {
  std::vector<IdleRow> rows;  // by device: the whole of it, then its streams
  std::vector<IdleGap> gaps;  // the longest of all devices first, at most kMostGaps
};
constexpr size_t kMostGaps = 20;

[[nodiscard]] IdleReport DescribeIdle(const TraceContext& context);

}  // namespace telltale
