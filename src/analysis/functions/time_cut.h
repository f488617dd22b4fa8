// SPDX-License-Identifier: Apache-2.0
// What a function profile knows of some of its time: "what did it do between 14:03 and 14:04". Of
// files that say when things ran; where they have sums of longer slots (one second of samples), a
// slot is taken whole or not at all: nothing is made up of where in it something ran.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/core/intervals.h"
#include "model/function_profile.h"

namespace telltale {

// From the first to the last moment that the profile knows of, since its start. None: it holds what
// functions took in all, or the order of each thread alone.
[[nodiscard]] std::optional<Interval> RecordedTime(const FunctionProfile& profile);

struct FunctionCut {
  // The threads are those of the whole profile. How often a path was called meanwhile is not known.
  FunctionProfile profile;
  Interval covered;  // of the whole profile's time: what `profile` is about, and its own time 0
};
// Of the moments [range), since the profile's start. None: nothing of the recording lies there.
[[nodiscard]] std::optional<FunctionCut> CutToTime(const FunctionProfile& profile, Interval range);

}  // namespace telltale
