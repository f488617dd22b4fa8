// SPDX-License-Identifier: Apache-2.0
// What is wrong with a trace: the six checks of torch's own trace validator and the structural ones
// that decide how far the numbers can be trusted. Each finding says what it means for the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "model/trace.h"

namespace telltale {

struct Finding {
  Severity severity = Severity::kInfo;
  std::string kind;
  uint64_t count = 0;
  std::optional<uint64_t> first_offset;
  std::string message;  // what it is, and what it means for the numbers
};

// The reader's diagnostics and the checks' findings, errors first, then losses, then infos; within
// one severity in the order of the checks.
[[nodiscard]] std::vector<Finding> ValidateTrace(const Trace& trace);

}  // namespace telltale
