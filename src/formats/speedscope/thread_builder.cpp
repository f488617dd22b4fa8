// SPDX-License-Identifier: Apache-2.0
#include "formats/speedscope/thread_builder.h"

namespace telltale::speedscope {

void ThreadBuilder::Advance(int64_t at, uint64_t offset) {
  if (!started_) {
    started_ = true;
    now_ = at;
  }
  if (at < now_) {
    profile_.diagnostics.Add(DiagnosticKind::kOutOfOrder, offset);
    return;
  }
  int64_t length = 0;
  if (__builtin_sub_overflow(at, now_, &length)) length = INT64_MAX;
  Stretch(stack_.empty() ? kNoCallNode : stack_.back().node, length);
  now_ = at;
}

void ThreadBuilder::Open(uint32_t frame, int64_t at, uint64_t offset) {
  Advance(at, offset);
  const CallNodeId parent = stack_.empty() ? kNoCallNode : stack_.back().node;
  const CallNodeId node = builder_.Child(parent, frame);
  ++profile_.tree.calls[node];
  stack_.push_back({frame, node});
  ++open_count_[frame];
}

void ThreadBuilder::Pop() {
  --open_count_[stack_.back().frame];
  stack_.pop_back();
}

void ThreadBuilder::Close(uint32_t frame, int64_t at, uint64_t offset) {
  Advance(at, offset);
  const auto open = open_count_.find(frame);
  if (open == open_count_.end() || open->second == 0) {
    profile_.diagnostics.AddWithDetail(
        DiagnosticKind::kUnmatchedEnd, offset,
        "a C event closes a frame that is not open; it was left out");
    return;
  }
  while (stack_.back().frame != frame) {
    profile_.diagnostics.AddWithDetail(
        DiagnosticKind::kUnmatchedBegin, offset,
        "frames without a C event of their own were closed with the frame around them, or at the "
        "end");
    Pop();
  }
  Pop();
}

void ThreadBuilder::CloseAll(int64_t at) {
  if (stack_.empty()) return;
  if (at > now_) Advance(at, 0);
  profile_.diagnostics.AddWithDetail(
      DiagnosticKind::kUnmatchedBegin, std::nullopt,
      "frames without a C event of their own were closed with the frame around them, or at the "
      "end");
  profile_.diagnostics.Add(DiagnosticKind::kUnmatchedBegin, std::nullopt, stack_.size() - 1);
  stack_.clear();
  open_count_.clear();
}

}  // namespace telltale::speedscope
