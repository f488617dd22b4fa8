// SPDX-License-Identifier: Apache-2.0
// For tests and fuzzing: what simdjson, an independent decoder, finds in the same text, compared
// with what our reader made of it. Speaks only about text that simdjson accepts as JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/trace.h"

namespace telltale {

// An empty string if they agree, else the first difference.
[[nodiscard]] std::string CompareWithSimdjson(std::string_view text, const Result<Trace>& ours);

}  // namespace telltale
