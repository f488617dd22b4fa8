// SPDX-License-Identifier: Apache-2.0
// The one sentence that comes first: what a step costs and where the time goes, made from the data.
#pragma once

#include <string>
#include <string_view>

#include "views/profile.h"

namespace telltale {

// "A step takes 177.6 ms: 55 % computing on the GPU, a third waiting for the DataLoader (64.2 ms)."
[[nodiscard]] std::string Answer(const Profile& profile, bool unicode = true);

// "; without waiting for the DataLoader it would take 118.9 ms": as the answer says it; empty where
// no cause is worth it.
[[nodiscard]] std::string WithoutFirstCause(const Profile& profile, bool unicode = true);

// "its own range takes 120.0 ms, device work ends 57.6 ms later": where an average step is longer
// or shorter than its range on the host by more than a twentieth, else empty.
[[nodiscard]] std::string RangeWords(const StepReport& steps, bool unicode = true);

// How a sentence calls a part of a step: "kernels", "the DataLoader".
[[nodiscard]] std::string_view WordsFor(StepCategory category);

// A row of work: an operator, but not a step itself (which old versions of torch wrote as one), or
// an annotation that launches device work itself. Other annotations are names: nothing is summed
// over them.
[[nodiscard]] bool IsWork(const OperatorRow& row);

// "a third", "half", "all of it", "55 %".
[[nodiscard]] std::string SharePhrase(double share);

}  // namespace telltale
