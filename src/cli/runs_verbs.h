// SPDX-License-Identifier: Apache-2.0
// What `telltale runs` says of single runs.
#pragma once

#include <memory>
#include <vector>

#include "cli/options.h"
#include "runs/workspace.h"
#include "views/render/terminal.h"
#include "views/runs/run_field.h"

namespace telltale {

struct RunsContext {
  const Arguments& arguments;
  Workspace& workspace;
  std::shared_ptr<const RunList> list;
  RunNames names;
  OutputStyle style;
};

using RunsChosen = std::vector<std::shared_ptr<const ListedRun>>;

// They print, and return the exit code.
[[nodiscard]] int ShowRun(const RunsContext& context, const ListedRun& run);
[[nodiscard]] int CompareRuns(const RunsContext& context, const RunsChosen& runs);
// Every point as CSV, or a JSON object a line.
[[nodiscard]] int ExportRuns(const RunsContext& context, const RunsChosen& runs);

}  // namespace telltale
