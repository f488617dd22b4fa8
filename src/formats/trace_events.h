// SPDX-License-Identifier: Apache-2.0
// A second pass over the file of a trace: every event with all of its arguments, joined with its
// row in the trace's columns, in file order, one at a time. For conversion; analyses use the
// columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/event_text.h"
#include "formats/read_options.h"
#include "io/byte_source.h"
#include "model/trace.h"

namespace telltale {

struct TraceEvent {
  enum class Table : uint8_t { kNone, kSpan, kMemory, kFlow, kCounter, kInstant };
  Table table = Table::kNone;  // kNone: metadata (M), or a phase that no table holds
  uint32_t row = kNoRow;       // counters: of the first series

  // X, B (never ended), i, C, s, t, f, b, n, e, M; others as written.
  char phase = '\0';
  bool has_time = false;
  int64_t time_ns = 0;      // as in the trace: without its base time
  int64_t duration_ns = 0;  // X

  // JSON values; empty: missing.
  std::string_view name;
  std::string_view category;
  std::string_view pid;
  std::string_view tid;
  std::string_view id;
  std::vector<JsonField> others;  // all other fields
  std::vector<JsonField> args;
  std::string_view odd_args;  // where args are no object
  bool has_args = false;
};

class TraceEventVisitor {
 public:
  virtual ~TraceEventVisitor() = default;
  // Views are valid until it returns; the event may be changed. False: enough.
  virtual bool OnEvent(TraceEvent& event) = 0;
  virtual void OnMetadata(std::string_view key, std::string_view json) = 0;
  // An event of which the trace has no row: no usable time, or text that cannot be understood.
  virtual void OnUnusable() = 0;
};

// Reads trace.source.path again. Fails if it cannot be read, or changed since.
[[nodiscard]] Result<void> VisitTraceEvents(const Trace& trace, const ReadOptions& options,
                                            TraceEventVisitor& visitor);

// The same from a source of the same content.
[[nodiscard]] Result<void> VisitTraceEvents(const Trace& trace, ByteSource& source,
                                            const ReadOptions& options, TraceEventVisitor& visitor);

}  // namespace telltale
