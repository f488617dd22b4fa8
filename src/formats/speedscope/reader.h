// SPDX-License-Identifier: Apache-2.0
// speedscope's JSON: evented and sampled profiles, one a thread. FORMAT.md beside this file.
#pragma once

#include "formats/function_format.h"

namespace telltale {

[[nodiscard]] FunctionFormat SpeedscopeFormat();

}  // namespace telltale
