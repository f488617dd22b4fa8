// SPDX-License-Identifier: Apache-2.0
// Runs whose collector was killed: what their processes recorded is still in their regions. Whoever
// looks at the runs next brings it in, once and whole. A run that somebody collects is left alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/run.h"

namespace telltale {

struct Leftover {
  std::string folder;
  uint64_t records = 0;             // brought in
  std::optional<RunStatus> status;  // that run.json has now; none: it still runs
  std::vector<std::string> problems;
};

// Below each root: itself, its folders, and theirs.
[[nodiscard]] std::vector<Leftover> BringInLeftovers(std::span<const std::string> roots);
// Of one run, of each collector that it had; none: there is nothing to do, or somebody collects it.
[[nodiscard]] std::vector<Leftover> BringInRun(const std::string& run_folder);

// A sentence for the user.
[[nodiscard]] std::string Describe(const Leftover& leftover);

// `telltale collect`: collects what the processes of a program record that was not started by
// `telltale run`, until all of them are gone. False: it could not.
bool CollectAlone(const std::string& run_folder);

}  // namespace telltale
