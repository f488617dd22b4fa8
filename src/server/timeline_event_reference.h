// SPDX-License-Identifier: Apache-2.0
// How answers of the timeline name an event: enough to draw it, and to ask for more.
#pragma once

#include <cstdint>

#include "base/json_writer.h"
#include "model/trace.h"
#include "server/timeline_routes.h"

namespace telltale {

void WriteEventReference(const TimelineInput& input, uint32_t file, SpanRow row, JsonWriter& json);

}  // namespace telltale
