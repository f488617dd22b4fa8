// SPDX-License-Identifier: Apache-2.0
// Recommendations: rules over a trace and its report, each with a stated threshold, evidence and a
// remedy.
#pragma once

#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/name_facts.h"
#include "analysis/work/report.h"
#include "model/trace.h"

namespace telltale {

// `report` holds steps, devices, operators (by name), kernels and copies already.
[[nodiscard]] std::vector<Recommendation> Advise(const Trace& trace, const HostTree& tree,
                                                 const DeviceLinks& links, const NameFacts& facts,
                                                 const ProfileReport& report);

}  // namespace telltale
