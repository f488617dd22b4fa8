// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/lines.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// What stands for native code or waiting has no file: its time is its caller's.
CallNodeId Innermost(const FunctionProfile& profile, CallNodeId node) {
  while (node != kNoCallNode && profile.functions[profile.tree.function[node]].file == kNoString) {
    node = profile.tree.parent[node];
  }
  return node;
}

}  // namespace

bool KnowsLines(std::span<const FunctionProfile* const> profiles) {
  return std::ranges::any_of(
      profiles, [](const FunctionProfile* profile) { return !profile->lines.empty(); });
}

std::vector<FunctionLine> LinesOf(std::span<const FunctionProfile* const> profiles,
                                  std::optional<ThreadChoice> thread) {
  using Key = std::tuple<std::string_view, int64_t, std::string_view, int64_t>;
  std::map<Key, int64_t> sums;
  CancelCheck cancel;
  for (size_t p = 0; p < profiles.size(); ++p) {
    const FunctionProfile& profile = *profiles[p];
    if (profile.lines.empty() || (thread && thread->profile != p)) continue;
    // By function and line first: texts are compared once for each of them.
    std::map<std::pair<FunctionId, uint32_t>, int64_t> of_profile;
    for (size_t i = 0; i < profile.timeline.size(); ++i) {
      cancel.Tick();
      const TopOfStack& stretch = profile.timeline[i];
      if (thread && stretch.thread != thread->thread) continue;
      const CallNodeId node = Innermost(profile, stretch.node);
      if (node == kNoCallNode) continue;
      AddTo(of_profile[{profile.tree.function[node], profile.lines[i]}], stretch.length);
    }
    for (const auto& [place, self] : of_profile) {
      const Function& function = profile.functions[place.first];
      const int64_t line = place.second == 0 ? kNoInt : static_cast<int64_t>(place.second);
      AddTo(sums[{profile.Text(function.file), function.line, profile.Text(function.name), line}],
            self);
    }
  }
  std::vector<FunctionLine> lines;
  for (const auto& [key, self] : sums) {
    const auto& [file, first_line, name, line] = key;
    lines.push_back({file, first_line, name, line, self});
  }
  std::ranges::stable_sort(lines, std::greater(), &FunctionLine::self);
  return lines;
}

}  // namespace telltale
