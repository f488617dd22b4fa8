// SPDX-License-Identifier: Apache-2.0
// torch.cuda.memory._snapshot() saved as JSON. FORMAT.md beside this file. (torch's own
// _dump_snapshot writes a pickle, which is a program and is never run here.)
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format MemorySnapshotFormat();

}  // namespace telltale
