// SPDX-License-Identifier: Apache-2.0
// A histogram of an event file as buckets, whichever way it was written.
#pragma once

#include <vector>

#include "analysis/series/histogram.h"
#include "formats/tfevents/decode.h"

namespace telltale {

// Old ones as TensorBoard converts them: in float32, from the smallest value to the largest,
// without empty buckets at the ends.
[[nodiscard]] std::vector<HistogramBucket> BucketsOf(const tfevents::HistogramValue& value);

}  // namespace telltale
