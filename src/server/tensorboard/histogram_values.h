// SPDX-License-Identifier: Apache-2.0
// Histograms of a series, decoded from where they lie.
#pragma once

#include <functional>
#include <vector>

#include "analysis/series/histogram.h"
#include "server/tensorboard/data_request.h"

namespace telltale {

struct HistogramStep {
  int64_t step = 0;
  double wall_time = 0;
  std::vector<HistogramBucket> buckets;
};

void ForEachHistogram(const FileGate& gate, const std::vector<BoardValue>& values,
                      const std::function<void(const HistogramStep& step)>& use);

}  // namespace telltale
