// SPDX-License-Identifier: Apache-2.0
// What is in the values that stay in the file: images, audio, histograms, texts, curves. What
// plugins say of themselves is in hparams.h, custom_layout.h and mesh.h. Nothing here trusts a
// size, a shape or a type that it is told; views point into the bytes that were decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/tfevents/tensor.h"
#include "io/file_gate.h"
#include "model/series.h"

namespace telltale::tfevents {

// The bytes of a stored value, read again from its file. An Error where the file has fewer, or the
// value has more than `most`.
[[nodiscard]] Result<std::string> ReadStored(const std::string& path, const FileGate& gate,
                                             const StoredValue& value,
                                             size_t most = size_t{256} << 20);

// The tensor of a Summary.Value; an Error where it has none.
[[nodiscard]] Result<Tensor> DecodeValueTensor(std::string_view value,
                                               size_t most = size_t{64} << 20);

struct MediaSample {
  std::string_view bytes;
  int64_t width = 0;  // of images, as the writer said
  int64_t height = 0;
  std::string_view label;  // of audio: markdown
  double sample_rate = 0;  // of audio in the old style; 0: look into the bytes
  int64_t channels = 0;
  int64_t frames = 0;
};
// Both styles. A value without any is no error.
[[nodiscard]] Result<std::vector<MediaSample>> DecodeImages(std::string_view value);
[[nodiscard]] Result<std::vector<MediaSample>> DecodeAudio(std::string_view value);

struct HistogramValue {
  bool old_style = false;  // else `buckets` are all there is
  double min = 0;
  double max = 0;
  double num = 0;
  double sum = 0;
  double sum_squares = 0;
  std::vector<double> right_edges;  // old style
  std::vector<double> counts;
  struct Bucket {
    double left = 0;
    double right = 0;
    double count = 0;
  };
  std::vector<Bucket> buckets;  // new style
};
[[nodiscard]] Result<HistogramValue> DecodeHistogram(std::string_view value);

// Texts of a tensor of any rank, shown as a table: rank 0 and 1 a column, rank 2 rows; of higher
// ranks the last two dimensions of what comes first, as TensorBoard shows them.
struct TextValue {
  std::vector<int64_t> shape;
  std::vector<std::string_view> texts;
  size_t rows = 0;
  size_t columns = 0;

  // With bytes that are not UTF-8 replaced.
  [[nodiscard]] std::string Cell(size_t row, size_t column) const;
};
[[nodiscard]] Result<TextValue> DecodeText(std::string_view value);

// The plugin's [6, n]: true and false positives, true and false negatives, precision, recall.
struct PrCurve {
  size_t shown = 0;  // without the thresholds at the end that nothing passes: no precision there
  std::vector<double> thresholds;
  std::vector<double> true_positives;
  std::vector<double> false_positives;
  std::vector<double> true_negatives;
  std::vector<double> false_negatives;
  std::vector<double> precision;
  std::vector<double> recall;
};
[[nodiscard]] Result<PrCurve> DecodePrCurve(std::string_view value);

}  // namespace telltale::tfevents
