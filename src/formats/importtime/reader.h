// SPDX-License-Identifier: Apache-2.0
// The log of python -X importtime: which module imported which, and how long it took.
// FORMAT.md beside this file.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format ImportTimeFormat();

}  // namespace telltale
