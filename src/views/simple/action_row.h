// SPDX-License-Identifier: Apache-2.0
// What `--view simple` tells of an action.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace telltale {

struct ActionRow {
  uint32_t file = 0;
  std::string name;
  std::optional<uint32_t> parent;  // of the tree
  uint32_t depth = 0;
  uint64_t calls = 0;
  int64_t total_ns = 0;  // of an action inside itself, the outermost counts
  int64_t self_ns = 0;
  int64_t p50_ns = 0;
  int64_t p90_ns = 0;
  int64_t p99_ns = 0;
  int64_t max_ns = 0;
  int64_t wall_ns = 0;  // of its file
  bool tree = false;
};

}  // namespace telltale
