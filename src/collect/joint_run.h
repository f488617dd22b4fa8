// SPDX-License-Identifier: Apache-2.0
// A run with several collectors: one on each node, or one for each rank where the launcher starts
// `telltale run` itself. What they share is the folder for runs and what the launcher, or the user,
// calls the run. The first makes the run's folder; the others find it and join.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "collect/environment.h"
#include "collect/run_folder.h"

namespace telltale {

struct JointRun {
  std::string key;   // the same for all that belong together
  std::string slot;  // the place in it that this one has: a second one there is another run. Empty:
                     // whoever has the key belongs to it, at any time
};

// By $TELLTALE_RUN_ID, Slurm's steps, PMIx, torchrun's own variables, and torchrun's options among
// the words of the command. nullopt: a run of its own.
[[nodiscard]] std::optional<JointRun> JointRunOf(const Environment& environment,
                                                 std::span<const std::string> command,
                                                 std::string_view host);

// The folder of the joint run below the root, made if there is none; `member` of it is this one's.
[[nodiscard]] Result<RunFolder> JoinRunFolder(const std::string& root, std::string_view name,
                                              int64_t start_ns, const JointRun& joint,
                                              std::string_view host);

// The same for all members.
[[nodiscard]] std::string JointRunId(const JointRun& joint, const RunFolder& folder);

}  // namespace telltale
