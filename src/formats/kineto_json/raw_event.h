// SPDX-License-Identifier: Apache-2.0
// The whole text of one event, fetched again from the file it came from: what no column holds, on
// demand. A plain file is read at the place; a compressed one is decoded up to it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "io/file_gate.h"
#include "model/profile_source.h"

namespace telltale {

// `offset` is one of the offset columns of the trace read from `from`. Fails if the file is gone,
// is another one by now or out of the gate's reach, or was standard input.
[[nodiscard]] Result<std::string> ReadRawEvent(const ProfileSource& from, uint64_t offset,
                                               const FileGate& gate);

}  // namespace telltale
