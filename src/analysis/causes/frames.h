// SPDX-License-Identifier: Apache-2.0
// Whose Python code ran at a moment: of the frames on a thread the innermost one of the user's own
// code, or where it called the profiler, that frame. Without own code: the innermost frame.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/core/python_tree.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

class FrameOwners {
 public:
  explicit FrameOwners(const Trace& trace);

  // Calls `each(start_ns, end_ns, frame)` for the stretches of [from_ns, to_ns) on a track, in the
  // trace's own time; kNoRow where there is no frame.
  template <typename Each>
  void ForEachOwner(TrackId track, int64_t from_ns, int64_t to_ns, Each each) const {
    const HostThread* const thread = ThreadOf(track);
    if (thread == nullptr) return each(from_ns, to_ns, kNoRow);
    const auto begin = tree_.span.begin();
    auto next = static_cast<NodeId>(
        std::partition_point(begin + thread->first, begin + thread->last,
                             [&](SpanRow row) { return spans_.start_ns[row] <= from_ns; }) -
        begin);
    NodeId current = next > thread->first ? next - 1 : kNoRow;
    while (current != kNoRow && EndOf(current) <= from_ns) current = tree_.parent[current];
    int64_t time = from_ns;
    SpanRow said = kNoRow;  // what [since, time) belongs to
    int64_t since = from_ns;
    const auto advance = [&](int64_t to) {
      if (to <= time) return;
      const SpanRow owner = current == kNoRow ? kNoRow : owner_[current];
      if (owner != said && time > since) {
        each(since, time, said);
        since = time;
      }
      said = owner;
      time = to;
    };
    while (time < to_ns) {
      const int64_t next_start =
          next < thread->last ? std::min(spans_.start_ns[tree_.span[next]], to_ns) : to_ns;
      while (current != kNoRow && EndOf(current) <= next_start) {
        advance(EndOf(current));
        current = tree_.parent[current];
      }
      advance(next_start);
      if (next_start >= to_ns || next >= thread->last) break;
      if (EndOf(next) > time) current = next;
      ++next;
    }
    if (time > since) each(since, time, said);
  }

  // The innermost function that has most of [from_ns, to_ns) on a track, in all its calls that
  // begin in `owner` and after it; kNoString: no function has.
  [[nodiscard]] StringId MostIn(TrackId track, int64_t from_ns, int64_t to_ns, SpanRow owner) const;

  [[nodiscard]] bool empty() const { return tree_.size() == 0; }

 private:
  [[nodiscard]] int64_t EndOf(NodeId node) const { return spans_.end_ns(tree_.span[node]); }
  [[nodiscard]] const HostThread* ThreadOf(TrackId track) const;

  const SpanTable& spans_;
  PythonTree tree_;
  Column<SpanRow> owner_;  // by node
};

}  // namespace telltale
