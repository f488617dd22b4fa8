// SPDX-License-Identifier: Apache-2.0
// speedscope's JSON: evented and sampled profiles, one a thread. FORMAT.md beside this file.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format SpeedscopeFormat();

}  // namespace telltale
