// SPDX-License-Identifier: Apache-2.0
// What `telltale convert` can write: the formats that have a writer, CSV and JSON lines.
#pragma once

#include <span>
#include <string_view>

#include "formats/format.h"

namespace telltale {

// In the order of the help.
[[nodiscard]] std::span<const FormatWriter* const> ConvertTargets();
[[nodiscard]] const FormatWriter* TargetNamed(std::string_view name);
// By the end of the name, compression apart; nullptr: it does not say.
[[nodiscard]] const FormatWriter* TargetForName(std::string_view path);

// Only event files can become that.
[[nodiscard]] inline bool IsSeriesTarget(const FormatWriter& target) {
  return target.series && target.name != "csv";
}
[[nodiscard]] inline bool IsTraceTarget(const FormatWriter& target) {
  return target.trace != nullptr;
}
// Rows of a trace's spans, which no format reads.
[[nodiscard]] inline bool IsCsv(const FormatWriter& target) {
  return target.trace == nullptr && target.functions == nullptr && target.name == "csv";
}

}  // namespace telltale
