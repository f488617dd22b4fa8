// SPDX-License-Identifier: Apache-2.0
// Everything the columns tell about one event: where it is, what is around and in it, what launched
// it or what it launched, the Python stack at that moment, and the arrows from and to it. What only
// the file has (all arguments) is not here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/timeline/event_arrows.h"
#include "analysis/timeline/index.h"

namespace telltale {

// Lists of events are cut here; their counts are of all.
constexpr size_t kMostListed = 200;

// A function on the stack.
struct StackFrame {
  SpanRow row = kNoRow;  // the frame's event; kNoRow: known from the operator's text alone
  std::string_view name;
  std::string_view file;  // empty: not known (native and built-in functions)
  std::optional<int64_t> line;
};

struct EventDetails {
  uint32_t track = 0;
  uint32_t depth = 0;
  int64_t self_ns = 0;              // without what the row below covers
  std::optional<std::string> step;  // that it starts in, or was launched in
  std::vector<SpanRow> parents;     // innermost first
  uint64_t child_count = 0;         // events of the row below that begin inside it
  std::vector<SpanRow> children;
  // Of device events: the runtime call and its operator.
  SpanRow launch = kNoRow;
  SpanRow launching_operator = kNoRow;
  // Of host events: the device events launched inside it.
  uint64_t launched_count = 0;
  int64_t launched_ns = 0;  // sum of their durations
  std::vector<SpanRow> launched;
  std::vector<StackFrame> stack;     // innermost first, when it began (or was launched)
  std::optional<StackFrame> source;  // the innermost frame that is no library's, else the innermost
  std::vector<EventArrow> arrows;
};

[[nodiscard]] EventDetails DescribeEvent(std::span<const TraceContext> contexts,
                                         const TimelineIndex& index, uint32_t file, SpanRow row);

}  // namespace telltale
