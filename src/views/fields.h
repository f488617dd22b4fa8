// SPDX-License-Identifier: Apache-2.0
// Rows as tables of named getters: the older way, which diff/output.cpp still has.
#pragma once

#include <string_view>
#include <vector>

#include "views/field_value.h"

namespace telltale {

template <typename Row>
struct RowField {
  std::string_view name;
  FieldValue (*get)(const Row& row);
};

template <typename Row>
using RowFields = std::vector<RowField<Row>>;

}  // namespace telltale
