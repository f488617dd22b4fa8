// SPDX-License-Identifier: Apache-2.0
// The top-level values around the events: devices, ranks, the base of all times, and whatever else
// the writer said about the run.
#pragma once

#include <string_view>

#include "formats/kineto_json/value.h"
#include "model/trace.h"

namespace telltale::kineto_json {

// `value` must lie inside a padded buffer. False if a known key has a value of the wrong shape.
bool StoreMetadata(std::string_view key, const Value& value, Trace& trace);

}  // namespace telltale::kineto_json
