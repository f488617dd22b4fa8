// SPDX-License-Identifier: Apache-2.0
// The moments that lie inside ranges of a name: what --inside selects.
#pragma once

#include <optional>
#include <string>

#include "analysis/core/host_tree.h"
#include "analysis/core/intervals.h"
#include "model/trace.h"

namespace telltale {

// The union of the host times of all annotations in whose names the expression is found; if there
// are none, of all such operators (old traces write ranges as operators, and asking for what is
// inside of an operator is fine too). Empty if nothing matches; nullopt if the expression is too
// much work on these names.
[[nodiscard]] std::optional<IntervalSet> TimesInside(const Trace& trace, const HostTree& tree,
                                                     const std::string& expression);

}  // namespace telltale
