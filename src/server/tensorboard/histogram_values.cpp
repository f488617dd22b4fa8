// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/histogram_values.h"

#include "server/tensorboard/stored_values.h"
#include "views/runs/histogram_buckets.h"

namespace telltale {

void ForEachHistogram(const FileGate& gate, const std::vector<BoardValue>& values,
                      const std::function<void(const HistogramStep& step)>& use) {
  ForEachStored(gate, values, [&](const StoredValue& value, std::string_view bytes) {
    const Result<tfevents::HistogramValue> histogram = tfevents::DecodeHistogram(bytes);
    if (histogram) use({value.step, value.wall_time, BucketsOf(*histogram)});
  });
}

}  // namespace telltale
