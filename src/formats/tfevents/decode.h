// SPDX-License-Identifier: Apache-2.0
// What is in the values that stay in the file: images, audio, histograms, texts, curves, meshes,
// and what plugins say of themselves. Nothing here trusts a size, a shape or a type that it is
// told; views point into the bytes that were decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "formats/tfevents/tensor.h"
#include "io/file_gate.h"
#include "model/run.h"
#include "model/series.h"

namespace telltale::tfevents {

// The bytes of a stored value, read again from its file. An Error where the file has fewer, or the
// value has more than `most`.
[[nodiscard]] Result<std::string> ReadStored(const std::string& path, const FileGate& gate,
                                             const StoredValue& value,
                                             size_t most = size_t{256} << 20);

// "image/png", "audio/wav" …, by the first bytes: png, jpeg, gif, webp, wav, mp3, mp4 and webm.
// Empty: none of these, so nothing a browser should be told to show.
[[nodiscard]] std::string_view MediaTypeOf(std::string_view bytes);

// TensorProto of a Summary.Value; empty: it has none.
[[nodiscard]] std::string_view TensorOf(std::string_view value);

struct MediaSample {
  std::string_view bytes;
  std::string_view content_type;  // of MediaTypeOf
  int64_t width = 0;              // of images
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

// Texts of a tensor of any rank: rank 0 and 1 a column, rank 2 rows; of higher ranks the first two
// dimensions of what comes first, as TensorBoard shows them. Bytes that are not UTF-8 are replaced.
struct TextValue {
  std::vector<int64_t> shape;
  std::vector<std::vector<std::string>> rows;
  bool sliced = false;  // of a higher rank: not all is here
};
[[nodiscard]] Result<TextValue> DecodeText(std::string_view value);

// The plugin's [6, n]: true and false positives, true and false negatives, precision, recall.
// Places at the end without any positive are left out.
struct PrCurve {
  std::vector<double> thresholds;
  std::vector<double> true_positives;
  std::vector<double> false_positives;
  std::vector<double> true_negatives;
  std::vector<double> false_negatives;
  std::vector<double> precision;
  std::vector<double> recall;
};
[[nodiscard]] Result<PrCurve> DecodePrCurve(std::string_view value);

// HParamsPluginData, in the content of a tag's metadata.
struct HparamInfo {
  std::string name;
  std::string display_name;
  std::string description;
  std::string type;                 // string, bool, float64; empty: not said
  std::vector<ConfigValue> domain;  // discrete
  std::optional<std::pair<double, double>> interval;
};
struct MetricInfo {
  std::string group;
  std::string tag;
  std::string display_name;
  std::string description;
  int dataset = 0;  // 1 training, 2 validation
};
struct HparamsExperiment {
  std::string name;
  std::string description;
  std::string user;
  double time_created = 0;
  std::vector<HparamInfo> hparams;
  std::vector<MetricInfo> metrics;
};
struct HparamsSessionStart {
  std::vector<std::pair<std::string, ConfigValue>> hparams;  // by name
  std::string model_uri;
  std::string monitor_url;
  std::string group_name;
  double start_time = 0;
};
struct HparamsSessionEnd {
  int status = 0;  // 1 success, 2 failure, 3 running
  double end_time = 0;
};
using HparamsData =
    std::variant<std::monostate, HparamsExperiment, HparamsSessionStart, HparamsSessionEnd>;
[[nodiscard]] Result<HparamsData> DecodeHparams(std::string_view plugin_content);

// custom_scalars' Layout, in the one text of its tensor.
struct CustomChart {
  std::string title;
  std::vector<std::string> multiline;  // expressions for tags
  struct Margin {
    std::string value;
    std::string lower;
    std::string upper;
  };
  std::vector<Margin> margin;
};
struct CustomCategory {
  std::string title;
  std::vector<CustomChart> charts;
  bool closed = false;
};
[[nodiscard]] Result<std::vector<CustomCategory>> DecodeCustomScalars(std::string_view value);

// MeshPluginData, in the content of a tag's metadata.
struct MeshInfo {
  std::string name;
  int content = 0;  // 1 vertices, 2 faces, 3 colours
  std::string json_config;
  std::vector<int64_t> shape;
  uint32_t components = 0;  // bits of what the mesh has
};
[[nodiscard]] Result<MeshInfo> DecodeMeshInfo(std::string_view plugin_content);

// projector_config.pbtxt.
struct Embedding {
  std::string tensor_name;
  std::string tensor_path;
  std::string metadata_path;
  std::string sprite_path;
  std::vector<int64_t> sprite_size;  // width, height of one picture
  std::vector<int64_t> shape;
  std::string bookmarks_path;
};
[[nodiscard]] std::vector<Embedding> ParseProjectorConfig(std::string_view pbtxt);

}  // namespace telltale::tfevents
