// SPDX-License-Identifier: Apache-2.0
// Which end belongs to which beginning, on one track. Perfetto's rule: in order of time, an end
// closes what was opened last. Writers that put all beginnings before all ends (torch's does) are
// recognised: their n-th end belongs to the n-th beginning, so that even kernels that only partly
// overlap keep their times.
#pragma once

#include <cstdint>
#include <vector>

namespace telltale::perfetto {

struct SliceMark {
  static constexpr uint32_t kEnd = UINT32_MAX;
  int64_t time_ns = 0;
  uint32_t row = kEnd;  // of the span that begins here
};

struct SliceEnd {
  uint32_t row = 0;
  int64_t end_ns = 0;
};

struct PairedSlices {
  std::vector<SliceEnd> ends;
  std::vector<uint32_t> never_ended;  // rows
  uint64_t never_begun = 0;           // ends without a beginning
};

// `marks` in file order; changes them. Adds to `paired`.
void PairSlices(std::vector<SliceMark>& marks, PairedSlices& paired);

}  // namespace telltale::perfetto
