// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/python_tree.h"

#include <span>

#include "analysis/core/nesting.h"
#include "analysis/core/thread_rows.h"
#include "base/cancel.h"

namespace telltale {

PythonTree BuildPythonTree(const Trace& trace) {
  PythonTree tree;
  tree.threads = GatherByTrack(
      trace, tree.span, [&](size_t row) { return trace.spans.category[row] == Category::kPython; });
  NodeId* const parents = tree.parent.extend(tree.size());
  OpenIntervals open;
  for (const HostThread& thread : tree.threads) {
    SortForNesting(trace, std::span(tree.span.data() + thread.first, thread.last - thread.first));
    open.Clear();
    CancelCheck cancel;
    for (NodeId node = thread.first; node < thread.last; ++node) {
      cancel.Tick();
      const SpanRow row = tree.span[node];
      parents[node] = open.Add(node, trace.spans.start_ns[row], trace.spans.end_ns(row)).parent;
    }
  }
  return tree;
}

}  // namespace telltale
