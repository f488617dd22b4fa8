// SPDX-License-Identifier: Apache-2.0
// The table of runs: for programs (contract's objects), as CSV, and for people with the columns of
// the configuration that differ and the metrics that most runs have. Terminal, JSON, CSV and the
// page follow from these descriptions.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "runs/run_list.h"
#include "views/render/terminal.h"
#include "views/runs/run_field.h"
#include "views/table_spec.h"

namespace telltale {

struct RunRow {
  std::shared_ptr<const ListedRun> run;
};

// For programs: id, name … config, metrics, tags, note, profiles, diagnostics.
[[nodiscard]] TableSpec<RunRow> RunObjects();

// With a column for each field; for people those of the smallest importance leave first.
[[nodiscard]] TableSpec<RunRow> RunColumns(std::span<const RunField> fields);

// For people who name no columns: configuration that differs between the rows, then metrics.
[[nodiscard]] std::vector<RunField> UsualFields(std::span<const RunRow> rows,
                                                const RunNames& names);
// For CSV: all there is.
[[nodiscard]] std::vector<RunField> AllFields(const RunNames& names);

// Names of configuration values that are not the same in all rows; a missing value counts.
[[nodiscard]] std::vector<std::string> DifferingConfig(std::span<const RunRow> rows,
                                                       const RunNames& names);

// One object of the contract.
void WriteRunJson(const ListedRun& run, JsonWriter& json);
// A number of the contract: NaN and infinities are texts.
void WriteNumber(double value, JsonWriter& json);
void WriteConfigValue(const ConfigValue& value, JsonWriter& json);

// "2 h 05 min", "12.3 s".
[[nodiscard]] std::string LongDuration(int64_t ns, const OutputStyle& style);
// "2026-11-15 20:45:01", UTC.
[[nodiscard]] std::string MomentText(int64_t ns);
// Of a value of the configuration or of a metric: six significant digits.
[[nodiscard]] std::string ValueText(const FieldValue& value, const OutputStyle& style);

// Numbers as they grow where `down` is false; missing values come last in any case; ties by name.
void SortRuns(std::vector<RunRow>& rows, const RunField& field, bool down);

}  // namespace telltale
