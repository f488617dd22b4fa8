// SPDX-License-Identifier: Apache-2.0
// Perfetto's protocol buffers among the other formats.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format PerfettoFormat();

}  // namespace telltale
