// SPDX-License-Identifier: Apache-2.0
// A walk down a calling-context tree, each node before its children and left after them, without
// recursion: paths may be as deep as the file is long.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "model/function_profile.h"

namespace telltale {

class CallTreeChildren {
 public:
  explicit CallTreeChildren(const CallTree& tree) : first_(tree.size() + 2) {
    // Slot 0 is for the roots, slot n + 1 for the children of node n.
    const auto slot = [&](size_t node) {
      return tree.parent[node] == kNoCallNode ? size_t{0} : size_t{tree.parent[node]} + 1;
    };
    for (size_t node = 0; node < tree.size(); ++node) ++first_[slot(node)];
    std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), uint32_t{0});
    children_.resize(tree.size());
    std::vector<uint32_t> next(first_.begin(), first_.end());
    for (size_t node = 0; node < tree.size(); ++node) {
      children_[next[slot(node)]++] = static_cast<uint32_t>(node);
    }
  }

  [[nodiscard]] std::span<const uint32_t> Roots() const { return Slot(0); }
  [[nodiscard]] std::span<const uint32_t> Of(CallNodeId node) const { return Slot(node + 1); }

  template <typename Enter, typename Leave>
  void Walk(Enter enter, Leave leave) const {
    struct Open {
      uint32_t node;
      uint32_t next;  // child
    };
    std::vector<Open> path;
    for (const uint32_t root : Roots()) {
      enter(root);
      path.push_back({root, 0});
      while (!path.empty()) {
        const std::span<const uint32_t> children = Of(path.back().node);
        if (path.back().next == children.size()) {
          leave(path.back().node);
          path.pop_back();
          continue;
        }
        const uint32_t child = children[path.back().next++];
        enter(child);
        path.push_back({child, 0});
      }
    }
  }

 private:
  [[nodiscard]] std::span<const uint32_t> Slot(size_t slot) const {
    return std::span(children_).subspan(first_[slot], first_[slot + 1] - first_[slot]);
  }
  std::vector<uint32_t> first_;
  std::vector<uint32_t> children_;
};

}  // namespace telltale
