// SPDX-License-Identifier: Apache-2.0
// A trace file being written, event by event. What a format cannot hold is counted by kind, so that
// the user is told: nothing is left out silently.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "formats/trace_events.h"

namespace telltale {

// A sentence's subject ("asynchronous events") and how many.
using LossCounts = std::map<std::string, uint64_t, std::less<>>;

class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  // A top-level value of the source, before, between or after the events.
  virtual void Metadata(std::string_view key, std::string_view json) = 0;
  // Times have been shifted as wanted; `input` numbers the source files.
  virtual void Event(const TraceEvent& event, size_t input) = 0;
  // A value that is not in the source: of counter `name` of process `pid` (JSON), at a time of the
  // written file.
  virtual void AddCounter(std::string_view pid, std::string_view name, std::string_view series,
                          int64_t time_ns, double value, size_t input) = 0;
  // Writes what is left; the sink is not closed.
  virtual void Finish() = 0;
  [[nodiscard]] virtual const LossCounts& lost() const = 0;
};

}  // namespace telltale
