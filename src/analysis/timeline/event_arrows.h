// SPDX-License-Identifier: Apache-2.0
// The arrows of a timeline that begin or end at an event: a call and the device work it launched, a
// forward operator and its backward one, and whatever other flows the file draws.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/core/backward_links.h"
#include "analysis/core/context.h"
#include "analysis/timeline/file_rows.h"

namespace telltale {

// Per event and kind; a graph launch starts thousands of kernels.
constexpr size_t kMostArrows = 64;

struct EventArrow {
  std::string_view kind;  // "launch", "forward_backward", else the flow's category
  SpanRow from = kNoRow;
  SpanRow to = kNoRow;
};

// Device work that an event launched: `call` is the launching one.
struct LaunchedEvent {
  SpanRow call = kNoRow;
  SpanRow device = kNoRow;
};
// By events inside it (or itself), in file order.
[[nodiscard]] std::vector<LaunchedEvent> LaunchedBy(const TraceContext& context, SpanRow row);

// Position in DeviceLinks; its size if the span is no device event.
[[nodiscard]] size_t LinkOf(const DeviceLinks& links, SpanRow row);

// `parents` are those of the event: an arrow to the backward operator around it is its arrow, too.
void AddForwardBackward(const TraceContext& context, const BackwardLinks& links, SpanRow row,
                        std::span<const SpanRow> parents, std::vector<EventArrow>& arrows);
void AddFlows(const Trace& trace, const FileRows& rows, SpanRow row,
              std::vector<EventArrow>& arrows);

}  // namespace telltale
