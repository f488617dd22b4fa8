// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/context.h"

#include <optional>

#include "analysis/core/inside.h"
#include "base/cancel.h"
#include "base/parallel.h"

namespace telltale {

TraceContext PrepareTrace(const Trace& trace, const AnalysisOptions& options) {
  const unsigned threads = ThreadCount(options.threads);
  TraceContext context{trace, options, {}, {}, {}, {}, {}, {}};
  RunBoth(
      threads, [&] { context.tree = BuildHostTree(trace, threads, context.diagnostics); },
      [&] { context.facts = FindNameFacts(trace, options.step_annotation); });
  StopIfCanceled();
  context.links = LinkDeviceEvents(trace, context.tree, context.diagnostics);
  StopIfCanceled();
  context.steps =
      FindSteps(trace, context.tree, context.links, context.facts, options, context.diagnostics);
  context.selection = Selection(context.steps);
  if (options.inside.empty()) return context;
  if (const std::optional<IntervalSet> inside = TimesInside(trace, context.tree, options.inside)) {
    context.selection = Selection(context.steps, *inside);
  } else {
    context.facts.given_up_expression = options.inside;
  }
  return context;
}

}  // namespace telltale
