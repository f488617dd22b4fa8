// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/time_cut.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

int64_t Later(int64_t time, int64_t by) {
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  return by > 0 && time > kLast - by ? kLast : time + by;
}

bool KnowsTimes(const FunctionProfile& profile) {
  return profile.shape == FunctionShape::kTree && profile.unit == ValueUnit::kNanoseconds &&
         !profile.threads.empty() && profile.thread_starts.size() == profile.threads.size();
}

// The whole stretch, since the profile's start.
Interval TimeOf(const FunctionProfile& profile, const TopOfStack& stretch) {
  const int64_t start = Later(profile.thread_starts[stretch.thread], stretch.start);
  return {start, Later(start, stretch.length)};
}

void Widen(std::optional<Interval>& all, Interval more) {
  all = all ? Interval{std::min(all->start_ns, more.start_ns), std::max(all->end_ns, more.end_ns)}
            : more;
}

// Gathers the stretches that stay, with the paths they need.
class Cutter {
 public:
  explicit Cutter(const FunctionProfile& whole)
      : whole_(whole),
        builder_(cut_),
        functions_(whole.functions.size(), kNoFunction),
        nodes_(whole.tree.size(), kNoCallNode) {
    cut_.source = whole.source;
    cut_.shape = whole.shape;
    cut_.unit = whole.unit;
    cut_.threads = whole.threads;
    cut_.thread_starts.assign(whole.threads.size(), 0);
  }

  // `time` is the part of the stretch that stays.
  void Keep(size_t number, Interval time) {
    const TopOfStack& stretch = whole_.timeline[number];
    if (stretch.node == kNoCallNode || time.end_ns <= time.start_ns) return;
    const CallNodeId node = NodeOf(stretch.node);
    const int64_t length = time.end_ns - time.start_ns;
    AddTo(cut_.tree.self[node], length);
    cut_.timeline.push_back({node, stretch.thread, time.start_ns, length});
    if (!whole_.lines.empty()) cut_.lines.push_back(whole_.lines[number]);
  }
  void BeginSlot(const TimeSlot& slot) {
    cut_.slots.push_back({slot.start, slot.end, cut_.timeline.size()});
  }

  FunctionProfile Finish(int64_t zero) {
    if (whole_.start_ns != kNoInt) cut_.start_ns = Later(whole_.start_ns, zero);
    for (TopOfStack& stretch : cut_.timeline) stretch.start -= zero;
    for (TimeSlot& slot : cut_.slots) {
      slot.start -= zero;
      slot.end -= zero;
    }
    std::fill(cut_.tree.calls.begin(), cut_.tree.calls.end(), kNoUint);
    return std::move(cut_);
  }

 private:
  FunctionId FunctionOf(FunctionId id) {
    FunctionId& made = functions_[id];
    if (made != kNoFunction) return made;
    const Function& function = whole_.functions[id];
    const auto text = [&](StringId of) {
      return of == kNoString ? kNoString : cut_.strings.Intern(whole_.Text(of));
    };
    made = builder_.FunctionOf(
        Function{text(function.file), function.line, text(function.name), text(function.module)});
    return made;
  }

  CallNodeId NodeOf(CallNodeId node) {
    std::vector<CallNodeId> missing;
    while (node != kNoCallNode && nodes_[node] == kNoCallNode) {
      missing.push_back(node);
      node = whole_.tree.parent[node];
    }
    CallNodeId made = node == kNoCallNode ? kNoCallNode : nodes_[node];
    for (size_t i = missing.size(); i-- > 0;) {
      made = builder_.Child(made, FunctionOf(whole_.tree.function[missing[i]]));
      nodes_[missing[i]] = made;
    }
    return made;
  }

  const FunctionProfile& whole_;
  FunctionProfile cut_;
  CallTreeBuilder builder_;
  std::vector<FunctionId> functions_;  // of the whole, in the cut
  std::vector<CallNodeId> nodes_;
};

std::optional<FunctionCut> CutSlots(const FunctionProfile& profile, Interval range) {
  std::optional<Interval> covered;
  Cutter cutter(profile);
  for (size_t i = 0; i < profile.slots.size(); ++i) {
    const TimeSlot& slot = profile.slots[i];
    if (slot.start >= range.end_ns || slot.end <= range.start_ns) continue;
    Widen(covered, {slot.start, slot.end});
    cutter.BeginSlot(slot);
    const size_t last =
        i + 1 < profile.slots.size() ? profile.slots[i + 1].first : profile.timeline.size();
    for (size_t at = slot.first; at < last; ++at) {
      cutter.Keep(at, TimeOf(profile, profile.timeline[at]));
    }
  }
  if (!covered) return std::nullopt;
  return FunctionCut{cutter.Finish(covered->start_ns), *covered};
}

}  // namespace

std::optional<Interval> RecordedTime(const FunctionProfile& profile) {
  if (!KnowsTimes(profile)) return std::nullopt;
  std::optional<Interval> all;
  if (!profile.slots.empty()) {
    for (const TimeSlot& slot : profile.slots) Widen(all, {slot.start, slot.end});
    return all;
  }
  for (const TopOfStack& stretch : profile.timeline) Widen(all, TimeOf(profile, stretch));
  return all;
}

std::optional<FunctionCut> CutToTime(const FunctionProfile& profile, Interval range) {
  const std::optional<Interval> recorded = RecordedTime(profile);
  if (!recorded) return std::nullopt;
  if (!profile.slots.empty()) return CutSlots(profile, range);
  const Interval covered = {std::max(range.start_ns, recorded->start_ns),
                            std::min(range.end_ns, recorded->end_ns)};
  if (covered.end_ns <= covered.start_ns) return std::nullopt;
  Cutter cutter(profile);
  CancelCheck cancel;
  for (size_t at = 0; at < profile.timeline.size(); ++at) {
    cancel.Tick();
    const Interval whole = TimeOf(profile, profile.timeline[at]);
    cutter.Keep(
        at, {std::max(whole.start_ns, covered.start_ns), std::min(whole.end_ns, covered.end_ns)});
  }
  return FunctionCut{cutter.Finish(covered.start_ns), covered};
}

}  // namespace telltale
