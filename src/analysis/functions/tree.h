// SPDX-License-Identifier: Apache-2.0
// A function profile as a tree of calls. Where the profile holds call paths this is simply it.
// Where it holds pairs of caller and callee, the time of a longer path is in general not
// determined: each node then has the range that is certain from the pairs. The rules and why they
// hold: docs/analyses/functions.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/functions/functions.h"

namespace telltale {

struct FunctionTreeNode {
  uint32_t row = 0;  // of the table
  uint32_t parent = kNoCallNode;
  uint32_t depth = 0;
  // The time of this path with everything below it lies between the two; equal: it is known.
  int64_t least = 0;
  int64_t most = 0;
  // Of this path; none where the profile does not determine them.
  std::optional<int64_t> self;
  std::optional<int64_t> calls;
  // The function is on the path already: its time is within that of the outer call, and the node
  // has neither values nor children.
  bool recursive = false;
  uint32_t hidden_children = 0;  // left out by a limit

  [[nodiscard]] bool exact() const { return !recursive && least == most; }
};

// Deeper than any Python program calls by itself (its limit is 1000 unless raised).
constexpr uint32_t kDeepestFunctionTree = 5000;

struct FunctionTreeOptions {
  uint32_t depth = 0;          // of nodes below a root; 0: any, up to kDeepestFunctionTree
  double least_share = 0;      // children that cannot reach this share of all time are left out
  size_t most_nodes = 100000;  // a tree unfolded from pairs may be of any size
};

// Depth first; siblings by `most`, then by name. Needs with_calls (kPairs) or with_tree (kTree).
[[nodiscard]] std::vector<FunctionTreeNode> BuildFunctionTree(const FunctionTable& table,
                                                              const FunctionTreeOptions& options);

// The tree below all activations of one function, whoever called it, as one root. Recursive ones
// count once.
[[nodiscard]] std::vector<FunctionTreeNode> BuildCalleesTree(const FunctionTable& table,
                                                             uint32_t row,
                                                             const FunctionTreeOptions& options);

// The other way round: the root is the function, the children of a node are its callers, and times
// are those of the root in calls that came this way. Without `self`. Calls are known for direct
// callers, from paths for all.
[[nodiscard]] std::vector<FunctionTreeNode> BuildCallersTree(const FunctionTable& table,
                                                             uint32_t row,
                                                             const FunctionTreeOptions& options);

}  // namespace telltale
