// SPDX-License-Identifier: Apache-2.0
// Which runs a request asks for, in which order.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runs/workspace.h"

namespace telltale {

using SelectedRuns = std::vector<std::shared_ptr<const ListedRun>>;

// `where`: the language of `telltale runs --where`. `sort`: a column or metric, with "-" before it
// the largest first; empty: the natural order of names. `deleted`: deleted ones instead of the
// others. `group`: a column by which they come first, each group in the order of `sort`. An Error
// has the offset in `where`.
[[nodiscard]] Result<SelectedRuns> SelectRuns(const RunList& list, std::string_view where,
                                              std::string_view sort, bool deleted,
                                              std::string_view group = {});

}  // namespace telltale
