// SPDX-License-Identifier: Apache-2.0
#include "analysis/context.h"

#include "analysis/inside.h"
#include "base/parallel.h"

namespace telltale {

TraceContext PrepareTrace(const Trace& trace, const AnalysisOptions& options) {
  const unsigned threads = ThreadCount(options.threads);
  TraceContext context{trace, options, {}, {}, {}, {}, {}, {}};
  RunBoth(
      threads, [&] { context.tree = BuildHostTree(trace, threads, context.diagnostics); },
      [&] { context.facts = FindNameFacts(trace, options.step_annotation); });
  context.links = LinkDeviceEvents(trace, context.tree, context.diagnostics);
  context.steps =
      FindSteps(trace, context.tree, context.links, context.facts, options, context.diagnostics);
  context.selection =
      options.inside.empty()
          ? Selection(context.steps)
          : Selection(context.steps, TimesInside(trace, context.tree, options.inside));
  return context;
}

}  // namespace telltale
