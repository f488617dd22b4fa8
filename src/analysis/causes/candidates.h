// SPDX-License-Identifier: Apache-2.0
// Causes before it is known what they save: what lies on the paths, of all files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/causes/path_sums.h"

namespace telltale {

// A cause before it is known what it saves, over all files.
struct Candidate {
  CauseKind kind = CauseKind::kWork;
  std::string_view name;
  int64_t path_ns = 0;
  int64_t potential_ns = 0;
  uint64_t calls = 0;
  uint64_t pieces = 0;
  const CausePaths* paths = nullptr;  // where the longest piece is
  uint32_t graph = 0;
  CausePiece longest;
  std::map<uint32_t, int64_t> potential_of_file;
  std::vector<int64_t> savings_ns;  // by region, of all worlds
  int64_t saving_ns = 0;            // their sum
  std::optional<uint32_t> number;   // in the replay; none: no time of its own
  int64_t more_ns = 0;              // kSlowSteps: of `name` in the slowest, beyond the typical one
};

// Of all worlds, the one that may save most first.
[[nodiscard]] std::vector<Candidate> JoinSums(std::span<const CausePaths> all);

// The rank that the others wait for: the one that most of the paths is on.
[[nodiscard]] std::optional<uint32_t> LateGraph(const CausePaths& paths);

}  // namespace telltale
