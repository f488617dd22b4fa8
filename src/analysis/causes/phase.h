// SPDX-License-Identifier: Apache-2.0
// What a program was doing while it was recorded, as far as advice depends on it.
#pragma once

#include <string_view>

#include "model/trace.h"

namespace telltale {

// It trains: there is a backward pass or an optimizer. Otherwise it infers, evaluates or warms up,
// and advice about gradients, optimizers or convergence is none.
[[nodiscard]] bool IsTraining(const Trace& trace);
// An operator or annotation that only a training has.
[[nodiscard]] bool IsTrainingName(std::string_view name);

}  // namespace telltale
