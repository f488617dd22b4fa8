// SPDX-License-Identifier: Apache-2.0
// For readers of one thread: a builder, the rows it makes, and the trace they join.
#pragma once

#include <cstdint>

#include "formats/trace_rows/fragment.h"
#include "formats/trace_rows/join.h"
#include "formats/trace_rows/row_builder.h"
#include "model/trace.h"

namespace telltale::trace_rows {

class Rows {
 public:
  Rows() : joiner_(1) { builder_.Begin(fragment_); }

  [[nodiscard]] RowBuilder& builder() { return builder_; }
  // Rows so far.
  [[nodiscard]] uint64_t spans() const { return spans_before_ + fragment_.spans.size(); }
  [[nodiscard]] uint64_t flows() const { return flows_before_ + fragment_.flows.size(); }
  [[nodiscard]] Trace& trace() { return joiner_.trace(); }
  [[nodiscard]] Diagnostics& diagnostics() { return fragment_.diagnostics; }

  [[nodiscard]] size_t memory_bytes() const { return joiner_.memory_bytes(); }

  void Note(DiagnosticKind kind, uint64_t offset) { fragment_.diagnostics.Add(kind, offset); }
  // An event without a row of its own.
  void Count() { ++fragment_.events; }

  // Rows that are many enough go to the trace.
  void FlushIfLarge() {
    constexpr uint64_t kEventsPerFragment = 4096;
    if (fragment_.events >= kEventsPerFragment) Flush();
  }
  [[nodiscard]] Trace Finish() {
    Flush();
    return joiner_.Finish();
  }

 private:
  void Flush() {
    builder_.End();
    joiner_.Learn(0, fragment_);
    joiner_.Append(0, fragment_);
    spans_before_ += fragment_.spans.size();
    flows_before_ += fragment_.flows.size();
    fragment_.Clear();
    builder_.Begin(fragment_);
  }

  RowBuilder builder_;
  Fragment fragment_;
  Joiner joiner_;
  uint64_t spans_before_ = 0;  // rows already joined
  uint64_t flows_before_ = 0;
};

}  // namespace telltale::trace_rows
