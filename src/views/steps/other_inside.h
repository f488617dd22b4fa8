// SPDX-License-Identifier: Apache-2.0
// What the `other` of an average step is: a line for the overview, a table for the view of steps.
#pragma once

#include <span>
#include <string>

#include "analysis/core/step_rows.h"
#include "views/render/terminal.h"
#include "views/table_spec.h"

namespace telltale {

[[nodiscard]] TableSpec<OtherRow> OtherTable();

// Without parts that the average rounds to nothing.
[[nodiscard]] std::span<const OtherRow> OtherRows(const StepReport& steps);

// "save_checkpoint 12.3 ms, between operators 4.1 ms"; empty where it is no part to speak of.
[[nodiscard]] std::string OtherWords(const StepReport& steps, const OutputStyle& style);

}  // namespace telltale
