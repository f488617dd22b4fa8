// SPDX-License-Identifier: Apache-2.0
// Kineto and Chrome trace-event JSON among the other formats.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format KinetoJsonFormat();

}  // namespace telltale
