// SPDX-License-Identifier: Apache-2.0
// Reads Perfetto traces of track events into columns (FORMAT.md beside this file). Every event is
// put into the words of a Chrome event and goes through the same code as one of a JSON trace, so
// that both formats mean the same. Streams: memory grows with the columns, not with the file.
#pragma once

#include "base/result.h"
#include "formats/event_listener.h"
#include "formats/read_options.h"
#include "io/byte_source.h"
#include "model/trace.h"

namespace telltale {

// Fails only if nothing of the input is a trace.
[[nodiscard]] Result<Trace> ReadPerfetto(ByteSource& source, const ReadOptions& options = {});

// Reads once more for the text of the events, in the words of JSON, at the same offsets. The rows
// are made of that text, and are the same.
[[nodiscard]] Result<Trace> ReadPerfettoEvents(ByteSource& source, const ReadOptions& options,
                                               EventListener& listener);

}  // namespace telltale
