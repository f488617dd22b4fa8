// SPDX-License-Identifier: Apache-2.0
// What a run's folder says about its embeddings: projector_config.pbtxt, and the files of numbers
// that it names. Pure: whoever opens files does so through the gate, and only at paths that
// AssetPath allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale {

constexpr std::string_view kProjectorConfigName = "projector_config.pbtxt";

struct ProjectorEmbedding {
  std::string tensor_name;
  std::string metadata_path;
  std::string bookmarks_path;
  std::vector<int64_t> tensor_shape;
  std::string sprite_path;
  std::vector<int64_t> sprite_size;  // of one image: width, height
  std::string tensor_path;
};

struct ProjectorConfig {
  std::string model_checkpoint_path;
  std::vector<ProjectorEmbedding> embeddings;
};

// What it does not know is skipped.
[[nodiscard]] Result<ProjectorConfig> ParseProjectorConfig(std::string_view text);

// The one of that name; "x" and "x:0" are the same. nullptr: there is none.
[[nodiscard]] const ProjectorEmbedding* FindEmbedding(const ProjectorConfig& config,
                                                      std::string_view name);

// The absolute path of a file that the config in `folder` names; nullopt: it would lead out of that
// folder.
[[nodiscard]] std::optional<std::string> AssetPath(std::string_view folder, std::string_view named);

// Rows of numbers.
struct ProjectorTensor {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<float> values;
};
// Tab-separated numbers; or float32, as many as the shape says; or .npy.
[[nodiscard]] Result<ProjectorTensor> ReadProjectorTensor(std::string_view bytes,
                                                          const std::vector<int64_t>& shape);

}  // namespace telltale
