// SPDX-License-Identifier: Apache-2.0
// How busy each device was: utilization, SM efficiency, occupancy, tensor cores.
#pragma once

#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/name_facts.h"
#include "analysis/core/steps.h"
#include "analysis/work/report.h"
#include "model/trace.h"

namespace telltale {

// One row per device that ran a selected device event, by id. Shares of time refer to the steps'
// window.
[[nodiscard]] std::vector<DeviceRow> DescribeDevices(const Trace& trace, const HostTree& tree,
                                                     const DeviceLinks& links,
                                                     const NameFacts& facts, const Steps& steps);

}  // namespace telltale
