// SPDX-License-Identifier: Apache-2.0
// Recommendations as a table: their own view, and the findings beside other views.
#pragma once

#include "health/recommendation.h"
#include "views/table_spec.h"

namespace telltale {

[[nodiscard]] TableSpec<Recommendation> RecommendationTable();

}  // namespace telltale
