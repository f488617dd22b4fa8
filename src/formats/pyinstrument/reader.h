// SPDX-License-Identifier: Apache-2.0
// pyinstrument's JSON: saved sessions (.pyisession) and the output of -r json.
// FORMAT.md beside this file.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format PyinstrumentFormat();

}  // namespace telltale
