// SPDX-License-Identifier: Apache-2.0
// The table of memory copies and sets: time, bytes and bandwidth by name (and so by direction).
#pragma once

#include <string_view>
#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/steps.h"
#include "analysis/work/report.h"
#include "model/trace.h"

namespace telltale {

// Sorted by total time.
[[nodiscard]] std::vector<CopyRow> DescribeCopies(const Trace& trace, const HostTree& tree,
                                                  const DeviceLinks& links,
                                                  const Selection& selection);

// HtoD, DtoH, DtoD, PtoP, HtoH or other, from a copy's name.
[[nodiscard]] std::string_view CopyDirection(std::string_view name);

void SetBandwidth(CopyRow& row);
void SortCopies(std::vector<CopyRow>& rows);

}  // namespace telltale
