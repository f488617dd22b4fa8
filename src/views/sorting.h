// SPDX-License-Identifier: Apache-2.0
// --sort and --limit for any view: which fields a view can be sorted by, under our names and under
// torch's, and the sorting itself. Numbers go down, text goes up, missing values come last; ties by
// name, then by first occurrence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "views/fields.h"
#include "views/row_range.h"

namespace telltale {

enum class View : uint8_t {
  kOverview,
  kSteps,
  kDevices,
  kOperators,
  kKernels,
  kCopies,
  kRecommendations,
  kDiagnostics,
  kEvents,
  kSection,  // one of section.h
};
[[nodiscard]] std::string_view NameOf(View view);
[[nodiscard]] std::vector<std::string_view> ViewNames();
[[nodiscard]] std::optional<View> ViewNamed(std::string_view name);

// The field that `text` names for a view (the overview sorts its operators), or what would be
// valid.
[[nodiscard]] Result<std::string> SortFieldFor(View view, std::string_view text);

// The same for a section with these fields.
[[nodiscard]] Result<std::string> SectionSortField(std::string_view section,
                                                   std::span<const std::string_view> fields,
                                                   std::string_view text);

// Fields for sorting: those of the rows, and means that the rows hold only as sums.
[[nodiscard]] const RowFields<OperatorRow>& OperatorSortFields();

inline std::string_view SortName(const StepRow& row) { return row.name; }
inline std::string_view SortName(const DeviceRow& row) { return row.name; }
inline std::string_view SortName(const OperatorRow& row) { return row.name; }
inline std::string_view SortName(const KernelRow& row) { return row.name; }
inline std::string_view SortName(const CopyRow& row) { return row.name; }
inline std::string_view SortName(const Recommendation& row) { return row.rule; }
inline std::string_view SortName(const FileDiagnostic& row) { return row.kind; }

template <typename Row>
uint64_t FirstOccurrence(const Row& row) {
  if constexpr (requires { row.first_event; }) {
    return row.first_event;
  } else {
    return 0;  // the rows are in that order already, and sorting is stable
  }
}

template <typename Row>
void SortRows(std::vector<Row>& rows, const RowFields<Row>& fields, std::string_view field) {
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [&](const RowField<Row>& f) { return f.name == field; });
  if (at == fields.end()) return;
  std::stable_sort(rows.begin(), rows.end(), [get = at->get](const Row& a, const Row& b) {
    const int order = CompareDescending(get(a), get(b));
    if (order != 0) return order < 0;
    if (SortName(a) != SortName(b)) return SortName(a) < SortName(b);
    return FirstOccurrence(a) < FirstOccurrence(b);
  });
}

// Sorts what a view shows, in place. No view or a view without rows: nothing happens.
void SortView(Profile& profile, View view, std::string_view field);

}  // namespace telltale
