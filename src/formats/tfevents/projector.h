// SPDX-License-Identifier: Apache-2.0
// What a run's folder says about its embeddings: projector_config.pbtxt, which is ProjectorConfig
// in the text form of protocol buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale::tfevents {

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

}  // namespace telltale::tfevents
