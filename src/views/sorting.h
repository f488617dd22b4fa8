// SPDX-License-Identifier: Apache-2.0
// Sorting rows by a RowField. Numbers go down, text goes up, missing values come last; ties by
// name, then by first occurrence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/fields.h"
#include "views/row_range.h"

namespace telltale {

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

}  // namespace telltale
