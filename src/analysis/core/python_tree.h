// SPDX-License-Identifier: Apache-2.0
// The nesting of Python frames per thread, by the rules of nesting.h: modules, functions and calls
// of C functions as with_stack recorded them. They take no part in operator times (host_tree.h).
#pragma once

#include <vector>

#include "analysis/core/host_tree.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

struct PythonTree {
  // Ordered by track, then start, then longer first, then file order.
  Column<SpanRow> span;
  Column<NodeId> parent;  // kNoRow: the first frame of its thread
  std::vector<HostThread> threads;

  [[nodiscard]] size_t size() const { return span.size(); }
};

[[nodiscard]] PythonTree BuildPythonTree(const Trace& trace);

}  // namespace telltale
