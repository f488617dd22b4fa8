// SPDX-License-Identifier: Apache-2.0
// Tables of metrics as series: Lightning's metrics.csv and InnerEye's epoch_metrics.csv. A column
// is a tag, an empty cell no point; `step`, else `epoch`, else the number of the row is the step.
// Such tables know no wall times, unless they have a column `created_at` or `timestamp`.
#pragma once

#include <string_view>

#include "model/series.h"

namespace telltale {

// A last line without its end is left for later.
[[nodiscard]] SeriesSet ReadCsvSeries(std::string_view text);

}  // namespace telltale
