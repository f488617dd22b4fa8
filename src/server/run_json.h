// SPDX-License-Identifier: Apache-2.0
// Runs as JSON: the object of `telltale runs --json`, with times since 1970 as strings of digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "runs/workspace.h"
#include "views/runs/runs_table.h"

namespace telltale {

// A few values of a metric, for a small curve: evenly spread, the last point included; nullopt is
// no number.
using Spark = std::vector<std::optional<double>>;
constexpr size_t kSparkPoints = 24;
[[nodiscard]] Spark SparkOf(const TagSeries& series);

void WriteMetric(const MetricSummary& metric, const Spark* spark, JsonWriter& json);

// All but metrics, profiles and diagnostics, into an object that is open.
void WriteRunFields(const ListedRun& run, JsonWriter& json);

}  // namespace telltale
