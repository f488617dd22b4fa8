// SPDX-License-Identifier: Apache-2.0
// Where events become rows: the parser of JSON events, the rows it makes, and the trace they join.
#pragma once

#include <cstdint>

#include "formats/kineto_json/event_listener.h"
#include "formats/kineto_json/event_parser.h"
#include "formats/kineto_json/fragment.h"
#include "formats/kineto_json/join.h"
#include "model/trace.h"

namespace telltale::perfetto {

class Rows {
 public:
  // `listener`: told the text of every event; nullptr: nobody.
  explicit Rows(kineto_json::EventListener* listener) : joiner_(1) {
    parser_.Tell(listener);
    parser_.Begin(fragment_);
  }

  [[nodiscard]] kineto_json::EventParser& parser() { return parser_; }
  [[nodiscard]] kineto_json::EventListener* listener() const { return parser_.listener(); }
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
    parser_.End();
    joiner_.Learn(0, fragment_);
    joiner_.Append(0, fragment_);
    spans_before_ += fragment_.spans.size();
    flows_before_ += fragment_.flows.size();
    fragment_.Clear();
    parser_.Begin(fragment_);
  }

  kineto_json::EventParser parser_;
  kineto_json::Fragment fragment_;
  kineto_json::Joiner joiner_;
  uint64_t spans_before_ = 0;  // rows already joined
  uint64_t flows_before_ = 0;
};

}  // namespace telltale::perfetto
