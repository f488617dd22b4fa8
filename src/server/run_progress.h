// SPDX-License-Identifier: Apache-2.0
// How far a run is that is under way, as the lists and the run's page have it.
#pragma once

#include "base/json_writer.h"
#include "runs/run_list.h"
#include "server/route.h"

namespace telltale {

// "progress": null unless the run is under way and says its steps.
void WriteProgress(const RouteContext& context, const ListedRun& run, bool raw, JsonWriter& json);

}  // namespace telltale
