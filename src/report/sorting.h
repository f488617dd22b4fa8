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
#include "report/fields.h"

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

// < 0 if `a` comes first.
[[nodiscard]] int CompareDescending(const FieldValue& a, const FieldValue& b);

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

// Which rows of a table are written. A limit alone stands for a range from the start.
struct RowRange {
  int64_t limit = 0;  // <= 0: all
  int64_t offset = 0;

  RowRange(int64_t most = 0, int64_t first = 0)  // NOLINT(google-explicit-constructor)
      : limit(most), offset(first) {}
  [[nodiscard]] size_t First(size_t count) const {
    return offset <= 0 ? 0 : std::min(count, static_cast<size_t>(offset));
  }
  [[nodiscard]] size_t End(size_t count) const {
    const size_t first = First(count);
    return limit <= 0 ? count : first + std::min(count - first, static_cast<size_t>(limit));
  }
};

// How many of `count` rows a limit leaves; 0 and below: all.
[[nodiscard]] inline size_t Limited(size_t count, int64_t limit) {
  return limit <= 0 ? count : std::min(count, static_cast<size_t>(limit));
}

}  // namespace telltale
