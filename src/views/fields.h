// SPDX-License-Identifier: Apache-2.0
// The fields of each view's rows, by the names of the JSON contract: one table per kind of row,
// from which JSON objects, CSV columns and --sort follow. Values are views into the row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/work/report.h"
#include "base/json_writer.h"
#include "views/field_value.h"
#include "views/profile.h"

namespace telltale {

template <typename Row>
struct RowField {
  std::string_view name;
  FieldValue (*get)(const Row& row);
};

template <typename Row>
using RowFields = std::vector<RowField<Row>>;

// One span of a trace, put together on the fly.
struct EventRow {
  uint32_t file = 0;
  std::string_view kind;      // what it is, whatever its era calls it
  std::string_view category;  // as written
  std::string_view name;
  std::string_view pid;
  std::string_view tid;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::optional<int64_t> device;
  std::optional<int64_t> stream;
  std::optional<uint64_t> correlation;
  std::optional<std::string_view> op;
};

[[nodiscard]] const RowFields<StepRow>& StepFields();
[[nodiscard]] const RowFields<DeviceRow>& DeviceFields();
[[nodiscard]] const RowFields<OperatorRow>& OperatorFields();
[[nodiscard]] const RowFields<KernelRow>& KernelFields(KernelGrouping grouping);
[[nodiscard]] const RowFields<CopyRow>& CopyFields();
[[nodiscard]] const RowFields<Recommendation>& RecommendationFields();
[[nodiscard]] const RowFields<FileDiagnostic>& DiagnosticFields();
[[nodiscard]] const RowFields<EventRow>& EventFields();

// Evidence as one JSON object.
void WriteEvidence(const Recommendation& recommendation, JsonWriter& json);

}  // namespace telltale
