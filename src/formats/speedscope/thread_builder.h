// SPDX-License-Identifier: Apache-2.0
// One profile of a speedscope file on its way into the tree: its events or samples come in file
// order. Frames are numbers here, for the list that describes them may follow later.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/thread_timeline.h"
#include "model/function_profile.h"

namespace telltale::speedscope {

// Nodes are (parent, frame number) pairs.
class ThreadBuilder {
 public:
  ThreadBuilder(FunctionProfile& profile, CallTreeBuilder& builder, uint32_t thread)
      : profile_(profile), builder_(builder), timeline_(profile, thread) {}

  void Open(uint32_t frame, int64_t at, uint64_t offset);
  void Close(uint32_t frame, int64_t at, uint64_t offset);
  // What is still open ends at `at` or at the last event.
  void CloseAll(int64_t at);

  // The path of one sample, outermost frame first.
  void BeginSample() { sample_ = kNoCallNode; }
  void SampleFrame(uint32_t frame) { sample_ = builder_.Child(sample_, frame); }
  [[nodiscard]] CallNodeId sample() const { return sample_; }
  // `node` was on top for `length` after what came before.
  void Stretch(CallNodeId node, int64_t length) { timeline_.Add(node, length); }

 private:
  struct Frame {
    uint32_t frame;
    CallNodeId node;
  };
  // Time goes on to `at`; what is on top gets it.
  void Advance(int64_t at, uint64_t offset);
  void Pop();

  FunctionProfile& profile_;
  CallTreeBuilder& builder_;
  ThreadTimeline timeline_;
  std::vector<Frame> stack_;
  std::unordered_map<uint32_t, uint32_t> open_count_;  // by frame
  bool started_ = false;
  int64_t now_ = 0;  // as in the file
  CallNodeId sample_ = kNoCallNode;
};

}  // namespace telltale::speedscope
