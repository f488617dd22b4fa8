// SPDX-License-Identifier: Apache-2.0
#include "views/runs/histogram_buckets.h"

namespace telltale {

std::vector<HistogramBucket> BucketsOf(const tfevents::HistogramValue& value) {
  if (value.old_style) {
    return NewStyleBuckets(value.min, value.max, value.right_edges, value.counts);
  }
  std::vector<HistogramBucket> buckets;
  buckets.reserve(value.buckets.size());
  for (const tfevents::HistogramValue::Bucket& bucket : value.buckets) {
    buckets.push_back({bucket.left, bucket.right, bucket.count});
  }
  return buckets;
}

}  // namespace telltale
