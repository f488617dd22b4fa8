// SPDX-License-Identifier: Apache-2.0
// The user's ranges (record_function, user_annotation) as rows: how often and how long each ran,
// what the device did for it, and how they nest. Self times are about ranges alone: what lies in no
// nested range. Definitions are in docs/analyses/annotations.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"

namespace telltale {

struct AnnotationRow {
  std::string name;  // "ProfilerStep*" for all steps of the profiler
  // Of the tree: the row around this one; none for the outermost and in a flat list.
  std::optional<uint32_t> parent;
  uint32_t depth = 0;
  uint64_t calls = 0;
  int64_t host_total_ns = 0;
  int64_t host_self_ns = 0;
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  int64_t first_start_ns = 0;      // since 1970 where the trace knows
  int64_t in_steps_ns = 0;         // of the steps' host time, what the range covers
  uint64_t device_lane_calls = 0;  // gpu_user_annotation of that name; not in a tree
  int64_t device_lane_ns = 0;
  uint64_t first_event = 0;
};

struct AnnotationReport {
  std::vector<AnnotationRow> rows;  // flat: by host_total_ns, descending; tree: parents first
  int64_t steps_ns = 0;             // host time of the selected steps; 0: there are none
  int64_t device_ns = 0;            // of all device events in the selected time
  bool has_device_lane = false;     // some gpu_user_annotation was captured
};

enum class AnnotationShape : uint8_t { kFlat, kTree };

[[nodiscard]] AnnotationReport DescribeAnnotations(const TraceContext& context,
                                                   AnnotationShape shape);

// Several traces as one: rows of the same name (in a tree: of the same path) are added.
[[nodiscard]] AnnotationReport MergeAnnotations(std::span<const AnnotationReport> reports,
                                                AnnotationShape shape);

}  // namespace telltale
