// SPDX-License-Identifier: Apache-2.0
// Histograms as TensorBoard's writers make them: bins of fixed edges that grow by a tenth each, of
// which those around the values are kept.
#pragma once

#include <cstddef>
#include <cstdint>

namespace telltale::record {

inline constexpr size_t kPositiveEdges = 774;  // 1e-12 · 1.1^k below 1e20
inline constexpr size_t kBins = 2 * kPositiveEdges;

struct Histogram {
  double min;
  double max;
  double count;
  double sum;
  double sum_squares;
  size_t size;  // of both below
  double limits[kBins + 1];
  double buckets[kBins + 1];
};

// False: no value lies in a bin.
bool MakeHistogram(const float* values, size_t count, Histogram& histogram);
bool MakeHistogram(const double* values, size_t count, Histogram& histogram);

}  // namespace telltale::record
