// SPDX-License-Identifier: Apache-2.0
// The columns of operators, for those who sort them in another way.
#pragma once

#include "analysis/work/report.h"
#include "views/table_spec.h"

namespace telltale {

[[nodiscard]] TableSpec<OperatorRow> OperatorColumns();

}  // namespace telltale
