// SPDX-License-Identifier: Apache-2.0
// The operator table: host, device and memory figures of operators and annotations by name, or by
// name and input shapes or call stack.
#pragma once

#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/name_facts.h"
#include "analysis/core/options.h"
#include "analysis/core/steps.h"
#include "analysis/work/report.h"
#include "model/trace.h"

namespace telltale {

// A selected event counts whole, with all its children and device events. Sorted by device self
// time, then host self time.
[[nodiscard]] std::vector<OperatorRow> DescribeOperators(const Trace& trace, const HostTree& tree,
                                                         const DeviceLinks& links,
                                                         const NameFacts& facts,
                                                         const Selection& selection,
                                                         OperatorGrouping grouping);

// Derives the tensor-core shares from the sums behind them.
void SetTensorCoreShares(OperatorRow& row);
void SortOperators(std::vector<OperatorRow>& rows);

}  // namespace telltale
