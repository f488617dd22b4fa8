// SPDX-License-Identifier: Apache-2.0
// The calls of one thread in the order of time, for a picture of some width: each path that stays
// on the stack from one stretch to the next is one box, whatever was called below it. Two calls of
// the same path right behind each other are one box, too: stretches do not tell them apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/function_profile.h"

namespace telltale {

struct TimeOrderRequest {
  int64_t start = 0;  // since the thread's first event, in the profile's unit
  std::optional<int64_t> end = std::nullopt;  // none: the thread's end
  uint32_t width = 1000;                      // pixels
  uint32_t levels = 64;
};

struct TimeOrderBox {
  uint32_t depth = 0;  // 0: the outermost call
  int64_t start = 0;
  int64_t length = 0;
  FunctionId function = kNoFunction;  // of several: the longest one's
  uint32_t merged = 1;                // neighbours too narrow for a pixel are one box
};

struct TimeOrder {
  int64_t start = 0;  // of what is shown
  int64_t end = 0;
  int64_t whole = 0;    // where the thread ends
  uint32_t levels = 0;  // of the thread in all
  // Of each depth in order of time.
  std::vector<TimeOrderBox> boxes;
};

[[nodiscard]] TimeOrder OrderInTime(const FunctionProfile& profile, uint32_t thread,
                                    const TimeOrderRequest& request);

}  // namespace telltale
