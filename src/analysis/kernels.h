// SPDX-License-Identifier: Apache-2.0
// The kernel table: time per kernel name, or per name, operator and launch configuration.
#pragma once

#include <vector>

#include "analysis/device_links.h"
#include "analysis/host_tree.h"
#include "analysis/name_facts.h"
#include "analysis/report.h"
#include "analysis/steps.h"
#include "model/trace.h"

namespace telltale {

// Sorted by total time.
[[nodiscard]] std::vector<KernelRow> DescribeKernels(const Trace& trace, const HostTree& tree,
                                                     const DeviceLinks& links,
                                                     const NameFacts& facts,
                                                     const Selection& selection,
                                                     KernelGrouping grouping);

// Derives the means from the sums behind them.
void SetMeans(KernelRow& row);
void SortKernels(std::vector<KernelRow>& rows);

}  // namespace telltale
