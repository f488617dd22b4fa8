// SPDX-License-Identifier: Apache-2.0
// The kernel table: time per kernel name, or per name, operator and launch configuration.
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
