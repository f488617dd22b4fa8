// SPDX-License-Identifier: Apache-2.0
// One thread's share of a profile's timeline: stretches come one after the other, each with the
// path that was on top, and their lengths are the paths' own values.
#pragma once

#include <cstdint>

#include "formats/buffered_input.h"
#include "model/function_profile.h"

namespace telltale {

class ThreadTimeline {
 public:
  ThreadTimeline(FunctionProfile& profile, uint32_t thread) : profile_(profile), thread_(thread) {}

  // kNoCallNode: nothing ran.
  void Add(CallNodeId node, int64_t length) {
    if (length <= 0) return;
    const int64_t start = place_;
    place_ = AddSaturated(place_, length);
    if (node == kNoCallNode) return;
    int64_t& self = profile_.tree.self[node];
    self = AddSaturated(self, length);
    std::vector<TopOfStack>& timeline = profile_.timeline;
    if (last_ < timeline.size()) {
      TopOfStack& before = timeline[last_];
      if (before.node == node && AddSaturated(before.start, before.length) == start) {
        before.length = AddSaturated(before.length, length);
        return;
      }
    }
    last_ = timeline.size();
    timeline.push_back({node, thread_, start, length});
  }

 private:
  FunctionProfile& profile_;
  uint32_t thread_;
  int64_t place_ = 0;
  size_t last_ = SIZE_MAX;  // this thread's latest entry
};

}  // namespace telltale
