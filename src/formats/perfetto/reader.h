// SPDX-License-Identifier: Apache-2.0
// Reads Perfetto traces of track events into columns (FORMAT.md beside this file). Every event is
// put into the words of a Chrome event and goes through the same code as one of a JSON trace, so
// that both formats mean the same. Streams: memory grows with the columns, not with the file.
#pragma once

#include <string_view>

#include "base/result.h"
#include "formats/kineto_json/event_listener.h"
#include "formats/kineto_json/reader.h"
#include "io/byte_source.h"
#include "model/trace.h"

namespace telltale {

// Do these first bytes of a decoded file begin a Perfetto trace? Looks into the packets, for other
// protocol buffers (pprof) begin the same way.
[[nodiscard]] bool IsPerfettoTrace(std::string_view head);

// Fails only if nothing of the input is a trace.
[[nodiscard]] Result<Trace> ReadPerfetto(ByteSource& source, const ReadOptions& options = {});

// Reads once more for the text of the events, in the words of JSON, at the same offsets.
[[nodiscard]] Result<void> ReadPerfettoEvents(ByteSource& source, const ReadOptions& options,
                                              kineto_json::EventListener& listener);

}  // namespace telltale
