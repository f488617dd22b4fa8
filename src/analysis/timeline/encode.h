// SPDX-License-Identifier: Apache-2.0
// The binary answers of the timeline, as docs/http-api.md has them: little-endian arrays one after
// the other, which a page uses as typed arrays without reading them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analysis/timeline/index.h"
#include "analysis/timeline/series.h"
#include "analysis/timeline/span_view.h"

namespace telltale {

// "TTS2".
[[nodiscard]] std::string EncodeSpans(const SpanView& view);
// "TTC1". Times of the bins are the file's.
[[nodiscard]] std::string EncodeSeries(const FileTimeline& file, std::span<const SeriesBin> bins);
// "TTM1". A bit for each event from `skip` (a multiple of 8) on, as many as fit.
[[nodiscard]] std::string EncodeMatching(std::span<const uint8_t> matching, size_t skip,
                                         size_t most_bytes);

}  // namespace telltale
