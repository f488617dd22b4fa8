// SPDX-License-Identifier: Apache-2.0
// Reads Kineto and Chrome trace-event JSON of every era into columns (FORMAT.md beside this file).
// Streams: memory grows with the columns, never with the text. Damage is repaired or skipped,
// counted and located.
#pragma once

#include "base/result.h"
#include "formats/read_options.h"
#include "io/byte_source.h"
#include "model/trace.h"

namespace telltale {

// Fails only if nothing of the input is a trace: kUnreadable with what was expected and found.
[[nodiscard]] Result<Trace> ReadKinetoJson(ByteSource& source, const ReadOptions& options = {});

}  // namespace telltale
