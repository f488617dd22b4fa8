// SPDX-License-Identifier: Apache-2.0
// pprof's profile.proto, as Go, gperftools' converters and many samplers write it.
// FORMAT.md beside this file.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format PprofFormat();

}  // namespace telltale
