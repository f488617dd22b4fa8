// SPDX-License-Identifier: Apache-2.0
// The runs that have embeddings, and the files of those: found and read through the gate.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tfevents/projector.h"
#include "server/tensorboard/board.h"

namespace telltale {

struct ProjectorRun {
  std::string name;
  std::string folder;  // of the config
  tfevents::ProjectorConfig config;
};

// In the order of the runs.
[[nodiscard]] std::vector<ProjectorRun> ProjectorRuns(const Board& board);
// The config of one folder; nullopt: it has none that says where tensors are.
[[nodiscard]] std::optional<tfevents::ProjectorConfig> ReadProjectorFolder(
    const std::string& folder, const FileGate& gate);

// What the config in `folder` names. An Error says why it cannot be read.
[[nodiscard]] Result<std::string> ReadAsset(std::string_view folder, std::string_view named,
                                            const FileGate& gate);

}  // namespace telltale
