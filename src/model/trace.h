// SPDX-License-Identifier: Apache-2.0
// A trace as columns: what one capture file holds, compact and typed. Readers fill it, analyses
// read it. No parsing and no I/O here. Times are nanoseconds as written in the file;
// Trace::base_time_ns turns them into time since 1970 where the file says so.
//
// One row per span in `spans`; what only some spans have sits in side tables, reached through
// spans.detail[row], whose meaning follows from the span's category:
//   operator, annotation        -> operator_details
//   runtime                     -> runtime_details
//   kernel, memcpy, memset      -> device_details
//   sync                        -> sync_details
//   python                      -> python_details
//   all other categories        -> kNoDetail
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/string_pool.h"
#include "model/profile_source.h"

namespace telltale {

// Row numbers of the tables below.
using SpanRow = uint32_t;
constexpr uint32_t kNoRow = UINT32_MAX;
constexpr uint32_t kNoDetail = UINT32_MAX;

enum class TrackId : uint32_t {};
enum class CategoryId : uint16_t {};

// What a span is, whatever its era calls it.
enum class Category : uint8_t {
  kOperator,       // cpu_op, Operator
  kAnnotation,     // user_annotation
  kRuntime,        // cuda_runtime, cuda_driver, Runtime, *_runtime, *_driver
  kKernel,         // kernel, Kernel, mtia_ccp_events
  kMemcpy,         // gpu_memcpy, Memcpy
  kMemset,         // gpu_memset, Memset
  kPython,         // python_function, python
  kGpuAnnotation,  // gpu_user_annotation
  kSync,           // cuda_sync, xpu_sync
  kOverhead,       // overhead
  kTraceSpan,      // Trace: the recorded window
  kOther,          // anything else, also events without a category
  kUnmatched,      // a B event without its E: kept for its place, part of no analysis
};
constexpr size_t kCategoryCount = 13;

[[nodiscard]] constexpr bool IsHost(Category c) {
  return c == Category::kOperator || c == Category::kAnnotation || c == Category::kRuntime;
}
[[nodiscard]] constexpr bool IsDevice(Category c) {
  return c == Category::kKernel || c == Category::kMemcpy || c == Category::kMemset;
}
[[nodiscard]] std::string_view NameOf(Category category);
// By the text of `cat`, whatever its case. Empty or unknown text is kOther.
[[nodiscard]] Category CategoryOf(std::string_view cat_text);

// A pid or tid as written: 25738, "25738" and 25738.0 are the same; "stream 7" keeps its text.
struct TrackKey {
  StringId text = kEmptyString;
  int64_t number = kNoInt;  // kNoInt if the text is no integer
};

struct Track {
  TrackKey pid;
  TrackKey tid;
  StringId thread_name = kNoString;
  int64_t thread_sort_index = kNoInt;
  uint32_t process = 0;  // index into Trace::processes
};

struct Process {
  TrackKey pid;
  StringId name = kNoString;
  StringId labels = kNoString;
  int64_t sort_index = kNoInt;
};

struct CategoryEntry {
  StringId text = kEmptyString;
  Category category = Category::kOther;
};

struct SpanTable {
  Column<int64_t> start_ns;
  Column<int64_t> duration_ns;
  Column<StringId> name;
  Column<TrackId> track;
  Column<CategoryId> category_id;
  Column<Category> category;
  Column<uint32_t> detail;
  Column<uint64_t> offset;  // of the event's first byte in the decoded text
  [[nodiscard]] size_t size() const { return start_ns.size(); }
  [[nodiscard]] int64_t end_ns(size_t row) const { return start_ns[row] + duration_ns[row]; }
};

// For operators and annotations.
struct OperatorDetail {
  uint64_t external_id = kNoUint;
  int64_t sequence_number = kNoInt;
  int64_t forward_thread = kNoInt;
  StringId input_dims = kNoString;       // JSON text as written, white space removed
  StringId input_types = kNoString;      // JSON text as written, white space removed
  StringId concrete_inputs = kNoString;  // JSON text as written, white space removed
  StringId call_stack = kNoString;
  uint32_t collective = kNoDetail;  // into collectives
  bool finished = true;             // false: still open when recording ended
};

// For calls of the runtime or driver.
struct RuntimeDetail {
  uint64_t correlation = kNoUint;
  uint64_t external_id = kNoUint;
};

// For kernels, copies and sets.
struct DeviceDetail {
  uint64_t correlation = kNoUint;
  uint64_t external_id = kNoUint;
  int64_t device = kNoInt;  // args.device, else the pid where that is a number
  int64_t stream = kNoInt;  // args.stream, else the number in the tid
  int64_t bytes = kNoInt;
  double bandwidth_gb_per_s = -1;  // < 0: not captured
  double blocks_per_sm = -1;
  double warps_per_sm = -1;
  double occupancy_percent = -1;
  uint32_t grid[3] = {0, 0, 0};  // 0: not captured
  uint32_t block[3] = {0, 0, 0};
  int32_t registers_per_thread = -1;
  int64_t shared_memory_bytes = -1;
  uint64_t graph_id = kNoUint;
  uint64_t graph_node_id = kNoUint;
  uint32_t collective = kNoDetail;  // into collectives
};

// For cuda_sync and its kin.
struct SyncDetail {
  uint64_t correlation = kNoUint;
  int64_t device = kNoInt;
  int64_t stream = kNoInt;
  int64_t wait_on_stream = kNoInt;
  int64_t wait_on_record_correlation = kNoInt;
  int64_t wait_on_event = kNoInt;
};

struct PythonDetail {
  int64_t python_id = kNoInt;
  int64_t parent_id = kNoInt;
  int32_t module_id = -1;
  StringId call_from = kNoString;
};

// The arguments of a collective, on record_param_comms operators and on communication kernels.
struct CollectiveDetail {
  StringId name = kNoString;
  StringId dtype = kNoString;
  StringId group_name = kNoString;
  StringId group_description = kNoString;
  StringId group_ranks = kNoString;
  int64_t in_elements = kNoInt;
  int64_t out_elements = kNoInt;
  int64_t group_size = kNoInt;
  int64_t sequence = kNoInt;
  uint64_t communicator = kNoUint;
  int64_t source_rank = kNoInt;
  int64_t destination_rank = kNoInt;
};

// [memory] instants.
struct MemoryTable {
  Column<int64_t> time_ns;
  Column<TrackId> track;
  Column<uint64_t> address;         // kNoUint: not captured
  Column<int64_t> bytes;            // negative: freed
  Column<int64_t> total_allocated;  // kNoInt: not captured
  Column<int64_t> total_reserved;
  Column<int16_t> device_type;  // torch's DeviceType: 0 CPU, 1 CUDA, 6 HIP …; -1 not captured
  Column<int32_t> device_id;
  Column<uint64_t> offset;
  [[nodiscard]] size_t size() const { return time_ns.size(); }
};

enum class FlowPhase : uint8_t { kStart, kStep, kEnd };

// Arrows: launch -> kernel (ac2g, async…), forward -> backward (fwdbwd, forward_backward), others.
struct FlowTable {
  Column<int64_t> time_ns;
  Column<uint64_t> id;  // a text id is hashed
  Column<TrackId> track;
  Column<CategoryId> category_id;
  Column<FlowPhase> phase;
  Column<uint64_t> offset;
  [[nodiscard]] size_t size() const { return time_ns.size(); }
};

// One row per counter, series and time.
struct CounterTable {
  Column<int64_t> time_ns;
  Column<TrackId> track;
  Column<StringId> name;
  Column<StringId> series;
  Column<double> value;
  Column<uint64_t> offset;
  [[nodiscard]] size_t size() const { return time_ns.size(); }
};

// Instants other than [memory], and the asynchronous events b, n, e (with an id).
struct InstantTable {
  Column<int64_t> time_ns;
  Column<TrackId> track;
  Column<StringId> name;
  Column<CategoryId> category_id;
  Column<char> phase;   // i, b, n or e
  Column<uint64_t> id;  // kNoUint for instants
  Column<uint64_t> offset;
  [[nodiscard]] size_t size() const { return time_ns.size(); }
};

struct DeviceProperties {
  int64_t id = kNoInt;
  std::string name;
  int64_t memory_bytes = kNoInt;
  int64_t compute_major = kNoInt;
  int64_t compute_minor = kNoInt;
  int64_t multiprocessors = kNoInt;
  int64_t warp_size = kNoInt;
};

struct DistributedInfo {
  bool present = false;
  std::string backend;
  int64_t rank = kNoInt;
  int64_t world_size = kNoInt;
};

// The tables alone: what a reader appends to.
struct TraceTables {
  SpanTable spans;
  Column<OperatorDetail> operator_details;
  Column<RuntimeDetail> runtime_details;
  Column<DeviceDetail> device_details;
  Column<SyncDetail> sync_details;
  Column<PythonDetail> python_details;
  Column<CollectiveDetail> collectives;
  MemoryTable memory;
  FlowTable flows;
  CounterTable counters;
  InstantTable instants;
};

struct Trace : TraceTables {
  ProfileSource source;
  Diagnostics diagnostics;
  StringPool strings;

  std::vector<Track> tracks;
  std::vector<Process> processes;
  std::vector<CategoryEntry> categories;

  int64_t base_time_ns = 0;
  std::vector<DeviceProperties> devices;
  DistributedInfo distributed;
  // Every other top-level value: key and JSON text (long ones cut).
  std::vector<std::pair<std::string, std::string>> metadata;

  [[nodiscard]] std::string_view Text(StringId id) const { return strings.Get(id); }
  [[nodiscard]] std::string_view NameOfSpan(size_t row) const {
    return strings.Get(spans.name[row]);
  }
  [[nodiscard]] const OperatorDetail* OperatorOf(size_t row) const {
    const Category c = spans.category[row];
    const bool has = c == Category::kOperator || c == Category::kAnnotation;
    return has && spans.detail[row] != kNoDetail ? &operator_details[spans.detail[row]] : nullptr;
  }
  [[nodiscard]] const RuntimeDetail* RuntimeOf(size_t row) const {
    const bool has = spans.category[row] == Category::kRuntime;
    return has && spans.detail[row] != kNoDetail ? &runtime_details[spans.detail[row]] : nullptr;
  }
  [[nodiscard]] const DeviceDetail* DeviceOf(size_t row) const {
    const bool has = IsDevice(spans.category[row]);
    return has && spans.detail[row] != kNoDetail ? &device_details[spans.detail[row]] : nullptr;
  }
  // The value of a top-level flag such as with_stack, or of any other kept key; empty if absent.
  [[nodiscard]] std::string_view Metadata(std::string_view key) const;
  [[nodiscard]] size_t memory_bytes() const;
};

}  // namespace telltale
