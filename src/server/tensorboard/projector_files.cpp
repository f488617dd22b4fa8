// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/projector_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/byte_source.h"
#include "server/path_inside.h"

namespace telltale {

namespace {

constexpr size_t kLargestConfig = size_t{4} << 20;
// A million points of a few hundred dimensions, as text.
constexpr size_t kLargestAsset = size_t{1} << 30;

// TensorFlow's own place for it.
constexpr std::string_view kPluginFolder = "plugins/org_tensorflow_tensorboard_projector";

}  // namespace

std::optional<tfevents::ProjectorConfig> ReadProjectorFolder(const std::string& folder,
                                                             const FileGate& gate) {
  const std::string path = fmt::format("{}/{}", folder, tfevents::kProjectorConfigName);
  const Result<std::string> text = ReadSmallFile(path, gate, kLargestConfig);
  if (!text) return std::nullopt;
  Result<tfevents::ProjectorConfig> config = tfevents::ParseProjectorConfig(*text);
  if (!config) return std::nullopt;
  const bool has_files = std::ranges::any_of(
      config->embeddings,
      [](const tfevents::ProjectorEmbedding& one) { return !one.tensor_path.empty(); });
  return has_files ? std::optional(std::move(*config)) : std::nullopt;
}

std::vector<ProjectorRun> ProjectorRuns(const Board& board) {
  std::vector<ProjectorRun> runs;
  for (const Board::Run& run : board.Runs()) {
    for (const std::string& folder :
         {run.folder, fmt::format("{}/{}", run.folder, kPluginFolder)}) {
      std::optional<tfevents::ProjectorConfig> config = ReadProjectorFolder(folder, board.gate());
      if (!config) continue;
      runs.push_back({run.name, folder, std::move(*config)});
      break;
    }
  }
  return runs;
}

Result<std::string> ReadAsset(std::string_view folder, std::string_view named,
                              const FileGate& gate) {
  const std::optional<std::string> path = PathInside(folder, named);
  if (!path) {
    return Fail(ErrorCode::kUnreadable,
                fmt::format("Asset path \"{}\" resolves outside the config directory", named));
  }
  return ReadSmallFile(*path, gate, kLargestAsset);
}

}  // namespace telltale
