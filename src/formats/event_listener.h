// SPDX-License-Identifier: Apache-2.0
// For those who want the text of events, not rows: told of every event and every other top-level
// value that the reader understood, in file order.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/trace_rows/event_draft.h"

namespace telltale {

class EventListener {
 public:
  virtual ~EventListener() = default;
  // `text` is the event's object as written, damage included; it is followed by
  // kineto_json::kPadding readable bytes. `offset` is that of its rows in the trace.
  virtual void OnEvent(uint64_t offset, std::string_view text) = 0;
  virtual void OnMetadata(std::string_view key, const trace_rows::Value& value) = 0;
};

}  // namespace telltale
