// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/histogram.h"

#include <algorithm>

namespace telltale {

std::vector<HistogramBucket> NewStyleBuckets(double min, double max,
                                             std::span<const double> right_edges,
                                             std::span<const double> counts) {
  const size_t size = std::min(right_edges.size(), counts.size());
  size_t begin = 0;
  while (begin < size && !(counts[begin] > 0)) ++begin;
  size_t end = size;
  while (end > begin && !(counts[end - 1] > 0)) --end;
  std::vector<HistogramBucket> buckets;
  const auto rounded = [](double number) { return double{static_cast<float>(number)}; };
  for (size_t i = begin; i < end; ++i) {
    buckets.push_back({rounded(i == begin ? min : right_edges[i - 1]),
                       rounded(i + 1 == end ? max : right_edges[i]), rounded(counts[i])});
  }
  return buckets;
}

std::array<double, 9> Distribution(std::span<const HistogramBucket> buckets) {
  std::array<double, 9> values{};
  if (buckets.empty()) return values;
  double total = 0;
  for (const HistogramBucket& bucket : buckets) total += bucket.count;
  if (total == 0) total = 1;
  std::vector<double> weights;  // up to the right edge of each, in basis points
  double sum = 0;
  for (const HistogramBucket& bucket : buckets) {
    sum += bucket.count * kDistributionBasisPoints.back() / total;
    weights.push_back(sum);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const double point = kDistributionBasisPoints[i];
    auto at = static_cast<size_t>(std::upper_bound(weights.begin(), weights.end(), point) -
                                  weights.begin());
    const auto before = [&](size_t bucket) { return bucket > 0 ? weights[bucket - 1] : 0.0; };
    while (at < weights.size() && weights[at] == before(at)) ++at;
    if (at == weights.size()) {
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(),
                buckets.back().right);
      break;
    }
    const double low = before(at) == 0 ? buckets.front().left : buckets[at - 1].right;
    values[i] = low + (point - before(at)) * (buckets[at].right - low) / (weights[at] - before(at));
  }
  return values;
}

}  // namespace telltale
