// SPDX-License-Identifier: Apache-2.0
// Which folders are parts of a run that others wrote: what torch's add_scalars and add_hparams put
// into folders of their own, and the folders of a run that consists of several. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runs/held_run.h"

namespace telltale {

struct FoldedPart {
  const HeldRun* run = nullptr;
  // Its only tag is called this in the run: "main/key" of add_scalars(main, {key: …}); empty: tags
  // keep their names.
  std::string tag;
};

struct FoldedRun {
  const HeldRun* run = nullptr;
  std::vector<FoldedPart> parts;  // besides itself
};

// In the order of the runs given. `raw`: nothing is folded, and folders that only hold others are
// left out.
[[nodiscard]] std::vector<FoldedRun> FoldRuns(std::span<const HeldRun* const> runs, bool raw);

}  // namespace telltale
