// SPDX-License-Identifier: Apache-2.0
// The runs of a workspace for SQL (query/query_run.h).
#pragma once

#include <vector>

#include "query/query_run.h"
#include "runs/workspace.h"

namespace telltale {

// Refer to the workspace's columns: nothing may be added to it as long as they are used. Deleted
// runs are left out.
[[nodiscard]] std::vector<QueryRun> QueryRunsOf(const Workspace& workspace, bool raw = false);

}  // namespace telltale
