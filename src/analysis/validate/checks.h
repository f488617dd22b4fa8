// SPDX-License-Identifier: Apache-2.0
// The checks behind ValidateTrace, one function each. Private to the validate*.cpp files. A check
// adds at most one finding of each kind, and none where the capture has nothing to check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/validate/validate.h"
#include "model/trace.h"

namespace telltale::validation {

// Traces before torch 2.4 hold whole microseconds, so that neighbours may seem to overlap by that
// much.
constexpr int64_t kClockToleranceNs = 1'000;

struct Input {
  const Trace& trace;
  const HostTree& tree;
  const DeviceLinks& links;
};

struct Tally {
  uint64_t count = 0;
  std::optional<uint64_t> first_offset;

  void Add(uint64_t offset) {
    ++count;
    if (!first_offset || offset < *first_offset) first_offset = offset;
  }
};

// Nothing if the tally is empty.
void AddFinding(std::vector<Finding>& findings, Severity severity, std::string_view kind,
                const Tally& tally, std::string message);

// validate_torch.cpp: the six checks of torch's validator.
void CheckLaunchOrder(const Input& input, std::vector<Finding>& findings);
void CheckWaits(const Input& input, std::vector<Finding>& findings);
void CheckStreamSynchronizations(const Input& input, std::vector<Finding>& findings);
void CheckCollectives(const Input& input, std::vector<Finding>& findings);
void CheckBackwardNames(const Input& input, std::vector<Finding>& findings);
// validate_structure.cpp
void CheckDeviceOverlap(const Input& input, std::vector<Finding>& findings);
void CheckSteps(const Input& input, std::vector<Finding>& findings);
void CheckDuplicates(const Input& input, std::vector<Finding>& findings);
void CheckUnfinished(const Input& input, std::vector<Finding>& findings);
// validate_time.cpp
void CheckWindow(const Input& input, std::vector<Finding>& findings);
void CheckDurations(const Input& input, std::vector<Finding>& findings);
void CheckClock(const Input& input, std::vector<Finding>& findings);
void CheckMemory(const Input& input, std::vector<Finding>& findings);

}  // namespace telltale::validation
