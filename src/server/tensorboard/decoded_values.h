// SPDX-License-Identifier: Apache-2.0
// A value of an event file (Summary.Value) as TensorBoard's API shows it, whether it was written
// the old way (a message for each kind) or as a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/series/histogram.h"
#include "base/result.h"
#include "formats/tfevents/tensor.h"

namespace telltale {

// Views into the bytes that were decoded.
struct DecodedMedia {
  std::optional<int64_t> width, height;  // of images, as the writer said
  std::vector<std::string_view> samples;
};
[[nodiscard]] Result<DecodedMedia> DecodeImages(std::string_view value);
[[nodiscard]] Result<DecodedMedia> DecodeAudio(std::string_view value);

struct DecodedText {
  std::vector<size_t> shape;  // empty: a single text
  std::vector<std::string_view> texts;
};
[[nodiscard]] Result<DecodedText> DecodeText(std::string_view value);

// Old ones as TensorBoard converts them: in float32, from the smallest value to the largest,
// without empty buckets at the ends.
[[nodiscard]] Result<std::vector<HistogramBucket>> DecodeHistogram(std::string_view value);

// The tensor of a value.
[[nodiscard]] Result<tfevents::Tensor> DecodeValueTensor(std::string_view value);

// The message of a graph, of what a session measured: as it lies, or as a tensor of one text.
[[nodiscard]] std::optional<std::string> DecodeGraph(std::string_view value,
                                                     std::string_view plugin);

}  // namespace telltale
