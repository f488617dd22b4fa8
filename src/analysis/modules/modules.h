// SPDX-License-Identifier: Apache-2.0
// Time by module: the tree of modules as called, each with its own work and that of the modules in
// it, forward and backward apart. What belongs to no module is a row of its own, so that the rows'
// self times sum to the whole. Definitions: docs/analyses/modules.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"

namespace telltale {

struct ModuleWork {
  uint64_t operators = 0;  // not counting those inside other operators
  int64_t host_total_ns = 0;
  int64_t host_self_ns = 0;   // in no module below
  int64_t frame_self_ns = 0;  // of that: in no operator, annotation or runtime call either
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
};

enum class ModulePhase : uint8_t { kForward, kBackward };

struct ModuleRow {
  std::string path;                  // "VAE_0.Sequential_0.Linear_0", or the dotted name
  std::string name;                  // "Linear_0", or the dotted name
  std::string class_name;            // empty: the work outside of modules
  std::optional<int64_t> module_id;  // Kineto's number among the instances of the class
  std::optional<uint32_t> parent;    // row of the module around it
  uint32_t depth = 0;
  uint64_t calls = 0;             // outside of backward work
  uint64_t recomputed_calls = 0;  // inside: activation checkpointing
  ModuleWork forward;
  ModuleWork backward;
  int64_t host_total_ns = 0;  // forward and backward
  int64_t host_self_ns = 0;
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
  int64_t first_start_ns = 0;

  [[nodiscard]] bool outside() const { return class_name.empty(); }
  [[nodiscard]] ModuleWork& Work(ModulePhase phase) {
    return phase == ModulePhase::kForward ? forward : backward;
  }
};

struct ModuleReport {
  // Each module before those in it, siblings in order of their first call; the work outside of
  // modules last. Empty: the trace holds no calls of modules.
  std::vector<ModuleRow> rows;
  int64_t host_ns = 0;    // the sum of all rows' host_self_ns
  int64_t device_ns = 0;  // the sum of all rows' device_self_ns
};

[[nodiscard]] ModuleReport DescribeModules(const TraceContext& context);

// Several traces as one: rows of the same path and class are added.
[[nodiscard]] ModuleReport MergeModules(std::span<const ModuleReport> reports);

// The rows of a report added up by class, in order of the first row of each; no tree: the totals of
// nested modules of one class hold the inner ones twice, so only self times are set.
[[nodiscard]] std::vector<ModuleRow> ModulesByClass(const ModuleReport& report);

}  // namespace telltale
