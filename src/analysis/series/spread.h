// SPDX-License-Identifier: Apache-2.0
// Several runs as one line with a band: seeds of one experiment, or all with the same value of a
// hyper-parameter. At each place of the axis: the mean over the runs that have a point there, and
// how far they lie apart.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/series/line.h"

namespace telltale {

enum class SpreadBand : uint8_t {
  kMinMax,
  kDeviation,  // mean ± standard deviation (of a sample: divided by n - 1; 0 of a single run)
};

// Exact where the runs have no more different places on the axis than the picture has pixels;
// beyond that each run counts once a pixel, with the mean of its points there, and a min-max band
// covers all of them. Values that are not finite are left out. Smoothing is of the means, and of
// the band's edges alike. `wall` of the result is the mean of the points' wall times.
[[nodiscard]] Line MakeSpread(std::span<const JoinedScalars* const> runs,
                              const LineRequest& request, SpreadBand band);

}  // namespace telltale
