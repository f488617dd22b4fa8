// SPDX-License-Identifier: Apache-2.0
// Nodes are added in the order of the time they may have, so that a limit on their number cuts the
// small ones; at the end they are put in depth-first order.
#include "analysis/functions/tree.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "analysis/core/sums.h"
#include "analysis/functions/call_tree_walk.h"

namespace telltale {

namespace {

// A node while the tree grows.
struct Growing {
  FunctionTreeNode node;
  // kPairs: the path has all activations of the function, and the function is not recursive. Then
  // what the pairs say about the function holds for the path.
  bool whole = false;
  uint32_t tree_node = kNoCallNode;  // kTree: of FunctionTable::tree
};

class TreeGrower {
 public:
  TreeGrower(const FunctionTable& table, const FunctionTreeOptions& options)
      : table_(table), options_(options) {
    depth_ = options.depth == 0 ? kDeepestFunctionTree : options.depth;
    budget_ = options.most_nodes * kCandidatesPerNode;
    least_ = static_cast<int64_t>(options.least_share * static_cast<double>(table.total));
  }

  // `children_of(index)` gives candidates, `count_of(index)` how many they would be.
  template <typename ChildrenOf, typename CountOf>
  void Grow(std::vector<Growing> roots, ChildrenOf children_of, CountOf count_of);
  [[nodiscard]] std::vector<FunctionTreeNode> InDepthFirstOrder() const;
  [[nodiscard]] const Growing& at(uint32_t index) const { return nodes_[index]; }
  [[nodiscard]] bool OnPath(uint32_t index, uint32_t row) const {
    for (; index != kNoCallNode; index = nodes_[index].node.parent) {
      if (nodes_[index].node.row == row) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool Before(const FunctionTreeNode& a, const FunctionTreeNode& b) const {
    if (a.most != b.most) return a.most > b.most;
    return table_.rows[a.row].name < table_.rows[b.row].name;
  }
  const FunctionTable& table_;
  const FunctionTreeOptions& options_;
  // A function with very many callees may be on very many paths: bounds the work where limits on
  // the result do not.
  static constexpr size_t kCandidatesPerNode = 32;
  uint32_t depth_ = 0;
  size_t budget_ = 0;  // candidates yet to look at
  int64_t least_ = 0;
  std::vector<Growing> nodes_;
};

template <typename ChildrenOf, typename CountOf>
void TreeGrower::Grow(std::vector<Growing> roots, ChildrenOf children_of, CountOf count_of) {
  const auto later = [&](uint32_t a, uint32_t b) {
    if (nodes_[a].node.most != nodes_[b].node.most) {
      return nodes_[a].node.most < nodes_[b].node.most;
    }
    return a > b;
  };
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(later)> open(later);
  const auto add = [&](std::vector<Growing> candidates, uint32_t parent) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Growing& a, const Growing& b) { return Before(a.node, b.node); });
    uint32_t hidden = 0;
    for (Growing& candidate : candidates) {
      const bool small = parent != kNoCallNode && candidate.node.most < least_;
      if (small || nodes_.size() >= options_.most_nodes) {
        ++hidden;
        continue;
      }
      candidate.node.parent = parent;
      candidate.node.depth = parent == kNoCallNode ? 0 : nodes_[parent].node.depth + 1;
      nodes_.push_back(candidate);
      if (!candidate.node.recursive) open.push(static_cast<uint32_t>(nodes_.size() - 1));
    }
    if (parent != kNoCallNode) nodes_[parent].node.hidden_children = hidden;
  };
  add(std::move(roots), kNoCallNode);
  while (!open.empty()) {
    const uint32_t next = open.top();
    open.pop();
    const size_t children = count_of(next);
    if (children == 0) continue;
    if (nodes_[next].node.depth >= depth_ || nodes_.size() >= options_.most_nodes ||
        children > budget_) {
      nodes_[next].node.hidden_children = static_cast<uint32_t>(children);
      continue;
    }
    budget_ -= children;
    add(children_of(next), next);
  }
}

std::vector<FunctionTreeNode> TreeGrower::InDepthFirstOrder() const {
  // Children were added in the order in which they are to stand.
  CallTree shape;
  for (const Growing& growing : nodes_) {
    shape.parent.push_back(growing.node.parent);
  }
  std::vector<FunctionTreeNode> out;
  std::vector<uint32_t> place(nodes_.size());
  CallTreeChildren(shape).Walk(
      [&](uint32_t node) {
        place[node] = static_cast<uint32_t>(out.size());
        out.push_back(nodes_[node].node);
        if (out.back().parent != kNoCallNode) out.back().parent = place[out.back().parent];
      },
      [](uint32_t) {});
  return out;
}

std::vector<FunctionTreeNode> TreeOfPaths(const FunctionTable& table, const CallTree& tree,
                                          const FunctionTreeOptions& options) {
  std::vector<int64_t> total(tree.self.begin(), tree.self.end());
  for (size_t node = tree.size(); node-- > 0;) {
    if (tree.parent[node] != kNoCallNode) AddTo(total[tree.parent[node]], total[node]);
  }
  const CallTreeChildren children(tree);
  const auto grow = [&](std::span<const uint32_t> nodes) {
    std::vector<Growing> out;
    for (const uint32_t node : nodes) {
      Growing growing;
      growing.tree_node = node;
      growing.node.row = tree.function[node];
      growing.node.least = growing.node.most = total[node];
      growing.node.self = tree.self[node];
      if (tree.calls[node] != kNoUint) growing.node.calls = static_cast<int64_t>(tree.calls[node]);
      out.push_back(growing);
    }
    return out;
  };
  TreeGrower grower(table, options);
  grower.Grow(
      grow(children.Roots()),
      [&](uint32_t index) { return grow(children.Of(grower.at(index).tree_node)); },
      [&](uint32_t index) { return children.Of(grower.at(index).tree_node).size(); });
  return grower.InDepthFirstOrder();
}

// A tree that is put together from the paths of another one.
class PathMerger {
 public:
  uint32_t Child(uint32_t parent, uint32_t row) {
    const uint64_t key = (uint64_t{parent} << 32U) | row;
    const auto [at, is_new] = nodes_.try_emplace(key, static_cast<uint32_t>(tree_.size()));
    if (is_new) {
      tree_.parent.push_back(parent);
      tree_.function.push_back(row);
      tree_.self.push_back(0);
      tree_.calls.push_back(kNoUint);
    }
    return at->second;
  }
  void Add(uint32_t node, int64_t self, uint64_t calls) {
    AddTo(tree_.self[node], self);
    if (calls == kNoUint) return;
    if (tree_.calls[node] == kNoUint) tree_.calls[node] = 0;
    tree_.calls[node] += calls;
  }
  [[nodiscard]] const CallTree& tree() const { return tree_; }

 private:
  CallTree tree_;
  std::unordered_map<uint64_t, uint32_t> nodes_;
};

// Calls `each(node)` for every node at or below an outermost node of the function, that first.
template <typename Each>
void BelowOutermost(const CallTree& tree, uint32_t row, Each each) {
  std::vector<bool> below(tree.size());
  for (uint32_t node = 0; node < tree.size(); ++node) {
    // A parent stands before its children.
    const uint32_t parent = tree.parent[node];
    const bool inside = parent != kNoCallNode && below[parent];
    below[node] = inside || tree.function[node] == row;
    if (below[node]) each(node, !inside);
  }
}

void MergeCallees(const CallTree& tree, uint32_t row, PathMerger& merger) {
  std::vector<uint32_t> merged(tree.size(), kNoCallNode);
  BelowOutermost(tree, row, [&](uint32_t node, bool outermost) {
    merged[node] =
        merger.Child(outermost ? kNoCallNode : merged[tree.parent[node]], tree.function[node]);
    merger.Add(merged[node], tree.self[node], tree.calls[node]);
  });
}

// Time stands at the ends of the ways up, so that a node's total is that of all ways through it.
void MergeCallers(const CallTree& tree, uint32_t row, PathMerger& merger) {
  std::vector<int64_t> total(tree.self.begin(), tree.self.end());
  for (size_t node = tree.size(); node-- > 0;) {
    if (tree.parent[node] != kNoCallNode) AddTo(total[tree.parent[node]], total[node]);
  }
  BelowOutermost(tree, row, [&](uint32_t node, bool outermost) {
    if (!outermost) return;
    const uint64_t calls = tree.calls[node];
    const int64_t time = total[node];
    uint32_t at = merger.Child(kNoCallNode, row);
    merger.Add(at, 0, calls);
    uint32_t depth = 0;
    for (uint32_t up = tree.parent[node]; up != kNoCallNode && depth < kDeepestFunctionTree;
         up = tree.parent[up], ++depth) {
      at = merger.Child(at, tree.function[up]);
      merger.Add(at, 0, calls);
    }
    merger.Add(at, time, kNoUint);
  });
}

// Functions on a cycle of calls: those in a strongly connected component of several, or calling
// themselves. Tarjan's algorithm with a stack of its own.
std::vector<bool> RecursiveRows(const FunctionTable& table, const CallIndex& callees) {
  constexpr uint32_t kNew = UINT32_MAX;
  const size_t count = table.rows.size();
  std::vector<bool> recursive(count);
  std::vector<bool> on_stack(count);
  std::vector<uint32_t> index(count, kNew);
  std::vector<uint32_t> low(count);
  std::vector<uint32_t> stack;
  struct Open {
    uint32_t row;
    uint32_t next;
  };
  std::vector<Open> path;
  uint32_t counter = 0;
  for (uint32_t root = 0; root < count; ++root) {
    if (index[root] != kNew) continue;
    path.push_back({root, 0});
    while (!path.empty()) {
      const uint32_t row = path.back().row;
      if (path.back().next == 0) {
        index[row] = low[row] = counter++;
        stack.push_back(row);
        on_stack[row] = true;
      }
      const std::span<const uint32_t> calls = callees.Of(row);
      bool entered = false;
      while (path.back().next < calls.size()) {
        const uint32_t callee = table.calls[calls[path.back().next]].callee;
        if (index[callee] == kNew) {
          ++path.back().next;
          path.push_back({callee, 0});
          entered = true;
          break;
        }
        if (callee == row) recursive[row] = true;
        if (on_stack[callee]) low[row] = std::min(low[row], index[callee]);
        ++path.back().next;
      }
      if (entered) continue;
      if (low[row] == index[row]) {
        const bool several = stack.back() != row;
        uint32_t member = kNew;
        do {
          member = stack.back();
          stack.pop_back();
          on_stack[member] = false;
          if (several) recursive[member] = true;
        } while (member != row);
      }
      path.pop_back();
      if (!path.empty()) low[path.back().row] = std::min(low[path.back().row], low[row]);
    }
  }
  return recursive;
}

class PairTree {
 public:
  explicit PairTree(const FunctionTable& table)
      : table_(table),
        callers_(table, CallIndex::By::kCallee),
        callees_(table, CallIndex::By::kCaller),
        recursive_(RecursiveRows(table, callees_)),
        outside_(table.rows.size()),
        caller_count_(table.rows.size()) {
    for (uint32_t row = 0; row < table.rows.size(); ++row) {
      outside_[row] = table.rows[row].values.calls.value_or(0);
      for (const uint32_t call : callers_.Of(row)) {
        SubtractFrom(outside_[row], table.calls[call].values.calls.value_or(0));
        if (table.calls[call].caller != row) ++caller_count_[row];
      }
    }
  }

  [[nodiscard]] std::vector<Growing> Roots() const;
  [[nodiscard]] std::vector<Growing> ChildrenOf(const TreeGrower& grower, uint32_t index) const;
  [[nodiscard]] size_t CountCallees(uint32_t row) const { return callees_.Of(row).size(); }
  // All activations of one function.
  [[nodiscard]] Growing WholeFunction(uint32_t row) const;
  [[nodiscard]] std::vector<Growing> CallersOf(const TreeGrower& grower, uint32_t index) const;
  [[nodiscard]] size_t CountCallers(uint32_t row) const { return callers_.Of(row).size(); }

 private:
  [[nodiscard]] int64_t TotalOf(uint32_t row) const {
    return table_.rows[row].values.total.value_or(0);
  }
  // The time of the calls that no pair explains, as a range.
  void SetRootTimes(uint32_t row, FunctionTreeNode& node) const;
  // What the calls of a pair took, as far as it is known.
  [[nodiscard]] std::optional<int64_t> PairTotal(const CallRow& call) const {
    if (call.values.total) return call.values.total;
    // The only caller has all of it.
    if (caller_count_[call.callee] == 1 && outside_[call.callee] <= 0 &&
        call.caller != call.callee) {
      return table_.rows[call.callee].values.total;
    }
    return std::nullopt;
  }

  const FunctionTable& table_;
  CallIndex callers_;
  CallIndex callees_;
  std::vector<bool> recursive_;
  std::vector<int64_t> outside_;        // calls that no pair explains
  std::vector<uint32_t> caller_count_;  // without the function itself
};

void PairTree::SetRootTimes(uint32_t row, FunctionTreeNode& node) const {
  node.most = node.least = TotalOf(row);
  if (caller_count_[row] == 0) return;
  node.least = 0;
  if (recursive_[row]) return;
  int64_t inside = 0;
  for (const uint32_t call : callers_.Of(row)) {
    const std::optional<int64_t> total = table_.calls[call].values.total;
    if (!total) return;
    AddTo(inside, *total);
  }
  node.least = node.most = std::max<int64_t>(Difference(TotalOf(row), inside), 0);
}

std::vector<Growing> PairTree::Roots() const {
  std::vector<Growing> roots;
  const auto add = [&](uint32_t row) {
    Growing root;
    root.node.row = row;
    root.whole = caller_count_[row] == 0 && !recursive_[row];
    SetRootTimes(row, root.node);
    if (caller_count_[row] == 0) root.node.calls = table_.rows[row].values.calls;
    if (root.whole) root.node.self = table_.rows[row].values.self;
    roots.push_back(root);
  };
  uint32_t longest = kNoFunction;
  for (uint32_t row = 0; row < table_.rows.size(); ++row) {
    if (!table_.rows[row].in_profile) continue;
    if (caller_count_[row] == 0 || outside_[row] > 0) add(row);
    if (longest == kNoFunction || TotalOf(row) > TotalOf(longest)) longest = row;
  }
  // Everything is called by something: the outermost calls of the longest function are a start.
  if (roots.empty() && longest != kNoFunction) {
    Growing root;
    root.node.row = longest;
    root.node.least = root.node.most = TotalOf(longest);
    roots.push_back(root);
  }
  return roots;
}

std::vector<Growing> PairTree::ChildrenOf(const TreeGrower& grower, uint32_t index) const {
  const Growing parent = grower.at(index);
  const uint32_t caller = parent.node.row;
  std::vector<Growing> children;
  for (const uint32_t i : callees_.Of(caller)) {
    const CallRow& call = table_.calls[i];
    Growing child;
    child.node.row = call.callee;
    if (grower.OnPath(index, call.callee)) {
      child.node.recursive = true;
      children.push_back(child);
      continue;
    }
    const std::optional<int64_t> total = PairTotal(call);
    if (parent.whole && total) {
      child.node.least = child.node.most = *total;
    } else {
      child.node.most =
          std::max<int64_t>(std::min(parent.node.most, total.value_or(TotalOf(call.callee))), 0);
      if (total && !recursive_[caller]) {
        // The caller's other activations took this long, and no call in them took longer.
        const int64_t elsewhere = Difference(TotalOf(caller), parent.node.least);
        child.node.least = std::clamp<int64_t>(Difference(*total, elsewhere), 0, child.node.most);
      }
    }
    if (parent.whole) {
      child.node.self = call.values.self;
      child.node.calls = call.values.calls;
    }
    child.whole = parent.whole && total && !recursive_[call.callee] &&
                  caller_count_[call.callee] == 1 && outside_[call.callee] <= 0;
    children.push_back(child);
  }
  return children;
}

Growing PairTree::WholeFunction(uint32_t row) const {
  Growing root;
  root.node.row = row;
  root.node.least = root.node.most = TotalOf(row);
  root.node.self = table_.rows[row].values.self;
  root.node.calls = table_.rows[row].values.calls;
  root.whole = !recursive_[row];
  return root;
}

// What part of the root's time came through the caller of a node.
std::vector<Growing> PairTree::CallersOf(const TreeGrower& grower, uint32_t index) const {
  const Growing parent = grower.at(index);
  const uint32_t callee = parent.node.row;
  const bool direct = parent.node.parent == kNoCallNode;
  const bool only_one = caller_count_[callee] == 1 && outside_[callee] <= 0 && !recursive_[callee];
  std::vector<Growing> callers;
  for (const uint32_t i : callers_.Of(callee)) {
    const CallRow& call = table_.calls[i];
    Growing caller;
    caller.node.row = call.caller;
    if (grower.OnPath(index, call.caller)) {
      caller.node.recursive = true;
      callers.push_back(caller);
      continue;
    }
    const std::optional<int64_t> total = PairTotal(call);
    if (direct && total) {
      // Of a recursive function a pair also has calls inside of its outermost ones.
      caller.node.least = recursive_[callee] ? 0 : *total;
      caller.node.most = std::min(parent.node.most, *total);
      caller.node.least = std::min(caller.node.least, caller.node.most);
    } else if (only_one) {
      caller.node.least = parent.node.least;
      caller.node.most = parent.node.most;
    } else {
      caller.node.most =
          std::max<int64_t>(std::min(parent.node.most, total.value_or(TotalOf(callee))), 0);
      if (total && !recursive_[callee]) {
        // The callee's calls by others took this long, and no more of the root's time is in them.
        const int64_t elsewhere = Difference(TotalOf(callee), *total);
        caller.node.least =
            std::clamp<int64_t>(Difference(parent.node.least, elsewhere), 0, caller.node.most);
      }
    }
    if (direct) caller.node.calls = call.values.calls;
    callers.push_back(caller);
  }
  return callers;
}

}  // namespace

std::vector<FunctionTreeNode> BuildCalleesTree(const FunctionTable& table, uint32_t row,
                                               const FunctionTreeOptions& options) {
  if (table.source == FunctionShape::kTree) {
    PathMerger merger;
    MergeCallees(table.tree, row, merger);
    return TreeOfPaths(table, merger.tree(), options);
  }
  const PairTree pairs(table);
  TreeGrower grower(table, options);
  grower.Grow(
      {pairs.WholeFunction(row)}, [&](uint32_t index) { return pairs.ChildrenOf(grower, index); },
      [&](uint32_t index) { return pairs.CountCallees(grower.at(index).node.row); });
  return grower.InDepthFirstOrder();
}

std::vector<FunctionTreeNode> BuildCallersTree(const FunctionTable& table, uint32_t row,
                                               const FunctionTreeOptions& options) {
  std::vector<FunctionTreeNode> nodes;
  if (table.source == FunctionShape::kTree) {
    PathMerger merger;
    MergeCallers(table.tree, row, merger);
    nodes = TreeOfPaths(table, merger.tree(), options);
  } else {
    const PairTree pairs(table);
    TreeGrower grower(table, options);
    grower.Grow(
        {pairs.WholeFunction(row)}, [&](uint32_t index) { return pairs.CallersOf(grower, index); },
        [&](uint32_t index) { return pairs.CountCallers(grower.at(index).node.row); });
    nodes = grower.InDepthFirstOrder();
  }
  for (FunctionTreeNode& node : nodes) node.self.reset();
  return nodes;
}

std::vector<FunctionTreeNode> BuildFunctionTree(const FunctionTable& table,
                                                const FunctionTreeOptions& options) {
  if (table.source == FunctionShape::kTree) return TreeOfPaths(table, table.tree, options);
  const PairTree pairs(table);
  TreeGrower grower(table, options);
  grower.Grow(
      pairs.Roots(), [&](uint32_t index) { return pairs.ChildrenOf(grower, index); },
      [&](uint32_t index) { return pairs.CountCallees(grower.at(index).node.row); });
  return grower.InDepthFirstOrder();
}

}  // namespace telltale
