// SPDX-License-Identifier: Apache-2.0
// What the analyses of a trace answer: plain rows, ready for a table, JSON or a chart. Definitions
// are in docs/definitions.md; field names follow the JSON contract. std::nullopt means the capture
// does not contain the value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/core/step_rows.h"
#include "base/diagnostics.h"

namespace telltale {

struct DeviceRow {
  int64_t id = 0;
  std::string type;  // cuda, hip, xpu, mtia, other
  std::string name;
  bool has_name = false;  // captured, if only as an empty text
  std::optional<int64_t> memory_bytes;
  std::string compute_capability;  // "9.0"; empty: not captured
  uint64_t kernel_count = 0;
  double utilization_share = 0;
  std::optional<double> sm_efficiency_share;
  std::optional<double> achieved_occupancy_share;
  std::optional<double> tensor_core_share;
  uint32_t file = 0;
};

enum class OperatorKind : uint8_t { kOperator, kAnnotation };

struct OperatorRow {
  std::string name;
  OperatorKind kind = OperatorKind::kOperator;
  std::optional<std::string> input_shapes;  // JSON text of the captured Input Dims
  std::optional<std::string> stack;
  uint64_t calls = 0;
  int64_t host_total_ns = 0;
  int64_t host_self_ns = 0;
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
  std::optional<int64_t> memory_total_bytes;
  std::optional<int64_t> memory_self_bytes;
  std::optional<int64_t> flops;
  bool tensor_core_eligible = false;
  std::optional<double> tensor_core_self_share;
  std::optional<double> tensor_core_total_share;
  // Sums behind the shares, so that reports of several files can be merged.
  int64_t tensor_core_self_ns = 0;
  int64_t tensor_core_total_ns = 0;
  uint64_t first_event = 0;  // order of first occurrence
};

enum class KernelKind : uint8_t { kCompute, kCommunication };

struct KernelRow {
  std::string name;
  KernelKind kind = KernelKind::kCompute;
  uint64_t calls = 0;
  int64_t total_ns = 0;
  int64_t mean_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  std::optional<double> mean_blocks_per_sm;             // weighted by duration
  std::optional<double> mean_achieved_occupancy_share;  // weighted by duration
  bool tensor_core = false;
  std::optional<std::string> op;  // operator, where all kernels of the row come from it
  // Set when grouped by launch configuration.
  std::optional<std::string> grid;  // "[512, 1, 1]"
  std::optional<std::string> block;
  std::optional<int64_t> registers_per_thread;
  std::optional<int64_t> shared_memory_bytes;
  uint64_t first_event = 0;
  // Sums behind the means, so that reports of several files can be merged.
  double blocks_weighted = 0;
  double occupancy_weighted = 0;
  int64_t blocks_weight_ns = 0;
  int64_t occupancy_weight_ns = 0;
};

// Copies and sets, by direction: "Memcpy HtoD (Pageable -> Device)", "Memset (Device)" …
struct CopyRow {
  std::string name;
  std::string direction;  // HtoD, DtoH, DtoD, PtoP, HtoH, memset, other
  std::optional<bool> pageable;
  uint64_t calls = 0;
  int64_t total_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  std::optional<int64_t> bytes;
  std::optional<double> bandwidth_gb_per_s;  // bytes / time over the calls that captured bytes
  int64_t bytes_time_ns = 0;  // that time, so that reports of several files can be merged
  uint64_t first_event = 0;
};

struct ProfileReport {
  Diagnostics diagnostics;  // those that the analyses found, beyond the reader's
  StepReport steps;
  std::vector<DeviceRow> devices;
  std::vector<OperatorRow> operators;
  std::vector<KernelRow> kernels;
  std::vector<CopyRow> copies;
  // Sum over kernels, for shares of the total.
  int64_t kernel_total_ns = 0;
  int64_t host_self_total_ns = 0;
};

}  // namespace telltale
