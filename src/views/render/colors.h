// SPDX-License-Identifier: Apache-2.0
// The colours of the terminal output: one fixed colour per category of a step, the same in every
// view, and a few for emphasis. The categories' colours are those of Okabe and Ito, which
// colour-blind eyes can tell apart, as the nearest of the 256 that every terminal has; they read on
// light and dark backgrounds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/core/step_rows.h"
#include "base/diagnostics.h"
#include "health/recommendation.h"
#include "views/render/terminal.h"

namespace telltale {

enum class Ink : uint8_t {
  kPlain,
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kRuntime,
  kInput,
  kCpu,
  kOther,
  kBold,
  kDim,
  kBad,      // high severity, errors
  kWarning,  // medium severity, losses
  kNote,     // low severity, notes
};

// The text itself where the style has no colour.
[[nodiscard]] std::string Paint(Ink ink, std::string_view text, const OutputStyle& style);

[[nodiscard]] Ink InkOf(StepCategory category);
[[nodiscard]] Ink InkOf(AdviceSeverity severity);
[[nodiscard]] Ink InkOf(Severity severity);

}  // namespace telltale
