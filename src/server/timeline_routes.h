// SPDX-License-Identifier: Apache-2.0
// The timeline's part of the API (docs/http-api.md, Timeline): each function reads the request's
// parameters, asks one function of src/analysis/timeline and writes the answer. Which profile is
// meant, and that it is loaded, is the caller's business.
#pragma once

#include <span>

#include "analysis/core/context.h"
#include "analysis/timeline/index.h"
#include "io/file_gate.h"
#include "server/http.h"
#include "views/params.h"

namespace telltale {

// The contexts that `index` was made from, and itself. May be used by several threads at a time.
struct TimelineInput {
  std::span<const TraceContext> contexts;
  const TimelineIndex& index;
  const FileGate& gate;  // opens the files again
};

// …/timeline
[[nodiscard]] HttpResponse TimelineLayout(const TimelineInput& input, const ParamValues& params);
// …/timeline/spans?start=NS&end=NS&width=PIXELS&tracks=0,1,2
[[nodiscard]] HttpResponse TimelineSpans(const TimelineInput& input, const ParamValues& params);
// …/timeline/counter?track=ID&start=NS&end=NS&width=PIXELS
[[nodiscard]] HttpResponse TimelineCounter(const TimelineInput& input, const ParamValues& params);
// …/timeline/event?file=F&row=R
[[nodiscard]] HttpResponse TimelineEvent(const TimelineInput& input, const ParamValues& params);
// …/timeline/search?q=TEXT&limit=N&near=NS
[[nodiscard]] HttpResponse TimelineSearch(const TimelineInput& input, const ParamValues& params);
// …/timeline/matching?q=TEXT&file=F&skip=N
[[nodiscard]] HttpResponse TimelineMatching(const TimelineInput& input, const ParamValues& params);
// …/timeline/selection?start=NS&end=NS&tracks=…
[[nodiscard]] HttpResponse TimelineSelection(const TimelineInput& input, const ParamValues& params);

// What each of them takes.
[[nodiscard]] std::span<const ParamSpec> TimelineSpansParams();
[[nodiscard]] std::span<const ParamSpec> TimelineCounterParams();
[[nodiscard]] std::span<const ParamSpec> TimelineEventParams();
[[nodiscard]] std::span<const ParamSpec> TimelineSearchParams();
[[nodiscard]] std::span<const ParamSpec> TimelineMatchingParams();
[[nodiscard]] std::span<const ParamSpec> TimelineSelectionParams();

}  // namespace telltale
