// SPDX-License-Identifier: Apache-2.0
// The step to look at when one stands for all: what happens in it happens in most.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/core/step_rows.h"

namespace telltale {

// The complete step of median duration, the longer one of two in the middle; of one file where
// `file` is given. Null: none is complete.
[[nodiscard]] const StepRow* TypicalStep(const StepReport& steps,
                                         std::optional<uint32_t> file = std::nullopt);

}  // namespace telltale
