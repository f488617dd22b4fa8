// SPDX-License-Identifier: Apache-2.0
// The whole text of one event, fetched again from the file it came from: what no column holds, on
// demand. A plain file is read at the place; a compressed one is decoded up to it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace telltale {

// `offset` is one of the offset columns of the trace read from `path`. Fails if the file is gone or
// has changed, or was standard input.
[[nodiscard]] Result<std::string> ReadRawEvent(const std::string& path, uint64_t offset);

}  // namespace telltale
