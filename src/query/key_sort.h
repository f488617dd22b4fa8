// SPDX-License-Identifier: Apache-2.0
// Sorting rows by integer keys: stable, in time linear in the rows whatever the keys are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.h"

namespace telltale {

struct KeyedRow {
  int64_t key;
  uint32_t row;
};

// By key; rows of equal keys keep their order.
void SortByKey(Column<KeyedRow>& rows);

}  // namespace telltale
