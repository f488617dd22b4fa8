// SPDX-License-Identifier: Apache-2.0
// How near operators come to what the device can do: per operator and shapes the operations and
// bytes of a call (roofline_formula.h), the time its kernels took, and the least time that the
// device's peaks (device_peaks.h) allow. What has no formula is listed with its time, so that both
// lists together are the whole. Definitions: docs/analyses/roofline.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/roofline/device_peaks.h"
#include "analysis/roofline/formula.h"

namespace telltale {

enum class RooflineBound : uint8_t { kCompute, kMemory };

// A device event that counts for a row.
struct RooflineEvent {
  uint32_t file = 0;
  SpanRow span = kNoRow;
};

struct RooflineRow {
  std::string name;
  bool backward = false;
  WorkFamily family = WorkFamily::kElementwise;
  std::string input_shapes;     // JSON text as captured
  std::string input_types;      // JSON text as captured
  std::string concrete_inputs;  // JSON text as captured; empty: not captured
  NumberType type = NumberType::kFp32;
  std::string device;  // its name; empty: not captured, or a trace without device events
  uint64_t calls = 0;
  int64_t time_ns = 0;  // of the kernels; of the operator itself where the trace has no device
  int64_t flops = 0;    // of one call; 0 where they are not counted (CountsFlops)
  int64_t bytes = 0;    // of one call
  int64_t tensor_core_ns = 0;
  std::vector<RooflineEvent> events;  // empty without a device

  // From here on they follow from the above and the peaks.
  std::optional<double> flops_per_second;
  std::optional<double> bytes_per_second;
  std::optional<double> flops_per_byte;
  std::optional<PeakKind> peak_kind;  // which peak of the device applies, if that is known
  std::optional<double> peak_flops_per_second;
  std::optional<double> peak_bytes_per_second;
  std::optional<RooflineBound> bound;
  std::optional<int64_t> ideal_ns;   // for all calls
  std::optional<int64_t> lost_ns;    // time_ns - ideal_ns, not below 0
  std::optional<double> roof_share;  // ideal_ns / time_ns; above 1 where caches serve the data
};

enum class NoFormulaReason : uint8_t {
  kNoFormula,      // for this operator
  kArguments,      // shapes, types or values that the formula needs were not captured
  kTransfer,       // moves data between host and device: not bound by the device's memory
  kNoOperator,     // device work that no operator launched
  kCommunication,  // between ranks
};
[[nodiscard]] std::string_view NameOf(NoFormulaReason reason);

struct NoFormulaRow {
  std::string name;
  NoFormulaReason reason = NoFormulaReason::kNoFormula;
  uint64_t device_events = 0;  // or operators, where the trace has no device events
  int64_t time_ns = 0;
};

// The rows of one family and phase added up.
struct RooflineFamily {
  WorkFamily family = WorkFamily::kElementwise;
  bool backward = false;
  uint64_t calls = 0;
  int64_t time_ns = 0;
  std::optional<double> flops_per_second;
  std::optional<double> bytes_per_second;
  std::optional<int64_t> ideal_ns;  // where it is known of all rows
  std::optional<int64_t> lost_ns;
};

enum class PeakSource : uint8_t { kTable, kOption, kNone };
[[nodiscard]] std::string_view NameOf(PeakSource source);

struct RooflineDevice {
  std::string name;      // as captured; empty: a trace without device events
  std::string known_as;  // in the table; empty: not there
  int64_t memory_bytes = kNoInt;
  PeakSource source = PeakSource::kNone;
  DevicePeaks peaks;
};

struct RooflineReport {
  bool has_device = false;  // false: times are those of operators on the host
  bool has_shapes = false;  // some operator has shapes
  int64_t total_ns = 0;     // of both lists
  int64_t covered_ns = 0;   // of `rows`
  std::vector<RooflineDevice> devices;
  std::vector<RooflineRow> rows;              // by lost_ns, then time_ns, descending
  std::vector<RooflineFamily> families;       // by time_ns, descending
  std::vector<NoFormulaRow> without_formula;  // by time_ns, descending
};

// What most of the work is bound by.
struct WorkBound {
  RooflineBound bound = RooflineBound::kMemory;
  double share = 0;       // of all time
  double roof_share = 0;  // how near it comes to its roof
};
[[nodiscard]] std::optional<WorkBound> BoundOf(const RooflineReport& report);

struct RooflineOptions {
  std::optional<DevicePeaks> peaks;  // instead of the table's, for all devices
};

// Several traces are one: rows of the same operator, arguments, phase and kind of device are added.
[[nodiscard]] RooflineReport DescribeRoofline(std::span<const TraceContext> traces,
                                              const RooflineOptions& options = {});

}  // namespace telltale
