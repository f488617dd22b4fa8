// SPDX-License-Identifier: Apache-2.0
// The fields of each view's rows, by the names of the JSON contract: one table per kind of row,
// from which JSON objects, CSV columns and --sort follow. Values are views into the row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/work/report.h"
#include "base/json_writer.h"
#include "report/profile.h"

namespace telltale {

// Text that is JSON already, such as input shapes.
struct JsonText {
  std::string_view text;
};

// std::monostate: the capture does not contain the value.
using FieldValue = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string_view,
                                JsonText, std::string>;

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

void WriteJson(const FieldValue& value, JsonWriter& json);
// One CSV cell, quoted where it must be; nothing for a missing value. A text that a spreadsheet
// would run as a formula has ' in front; numbers never have.
void AppendCsv(const FieldValue& value, std::string& out);

// Evidence as one JSON object.
void WriteEvidence(const Recommendation& recommendation, JsonWriter& json);

// Whether the text is one whole, valid JSON value. Shapes come from the file as written.
[[nodiscard]] bool IsJson(std::string_view text);

}  // namespace telltale
