// SPDX-License-Identifier: Apache-2.0
// pyinstrument's JSON: saved sessions (.pyisession) and the output of -r json.
// FORMAT.md beside this file.
#pragma once

#include "formats/function_format.h"

namespace telltale {

[[nodiscard]] FunctionFormat PyinstrumentFormat();

}  // namespace telltale
