// SPDX-License-Identifier: Apache-2.0
// Hand-overs between host threads: the forward thread calls backward() and does nothing until the
// autograd thread is done; it starts a collective that a thread of gloo's runs, and waits for it.
// Which threads belong together follows from the arrows that torch draws
// from forward to backward operators, or, without any, from the names of the backward operators.
#include <algorithm>
#include <string_view>

#include "analysis/core/backward_links.h"
#include "analysis/critical_path/graph.h"
#include "base/cancel.h"

namespace telltale {

namespace {

struct Busy {
  int64_t start_ns;
  int64_t end_ns;
};

// When the thread was in an operator, a collective or a runtime call; other annotations and steps
// (which are operators in old traces) are no activity. No busy time is empty, so that a thread
// never resumes and pauses at the same moment.
std::vector<Busy> BusyTimes(const PathGraph& graph, uint32_t thread) {
  const SpanTable& spans = graph.context->trace.spans;
  std::vector<Busy> busy;
  CancelCheck cancel;
  for (NodeId n = graph.threads[thread].first_node; n < graph.threads[thread].last_node; ++n) {
    cancel.Tick();
    const SpanRow row = graph.context->tree.span[n];
    const NameFacts& facts = graph.context->facts;
    if (spans.category[row] == Category::kAnnotation &&
        !facts.Is(spans.name[row], NameFact::kCommunicationRange)) {
      continue;
    }
    if (facts.Is(spans.name[row], NameFact::kStep)) continue;
    const int64_t start = spans.start_ns[row] + graph.offset_ns;
    const int64_t end = start + spans.duration_ns[row];
    if (end <= start) continue;
    if (!busy.empty() && start <= busy.back().end_ns) {
      busy.back().end_ns = std::max(busy.back().end_ns, end);
    } else {
      busy.push_back({start, end});
    }
  }
  return busy;
}

struct Pair {
  uint32_t forward;
  uint32_t backward;
  // The forward thread may go on meanwhile, so that it does not always wait for the other one.
  bool beside = false;
};

// By the arrows: backward threads are where more end than begin, the forward thread of a process is
// where most begin.
std::vector<Pair> PairsByFlows(const PathGraph& graph) {
  const Trace& trace = graph.context->trace;
  std::vector<uint8_t> is_link(trace.categories.size(), 0);
  for (size_t c = 0; c < trace.categories.size(); ++c) {
    const std::string_view text = trace.Text(trace.categories[c].text);
    is_link[c] = text == "fwdbwd" || text == "forward_backward" ? 1 : 0;
  }
  std::vector<uint64_t> begins(trace.tracks.size(), 0);
  std::vector<uint64_t> ends(trace.tracks.size(), 0);
  for (size_t i = 0; i < trace.flows.size(); ++i) {
    if (is_link[static_cast<size_t>(trace.flows.category_id[i])] == 0) continue;
    const auto track = static_cast<size_t>(trace.flows.track[i]);
    if (trace.flows.phase[i] == FlowPhase::kStart) ++begins[track];
    if (trace.flows.phase[i] == FlowPhase::kEnd) ++ends[track];
  }
  std::vector<uint32_t> forward(trace.processes.size(), kNoRow);  // track by process
  for (uint32_t t = 0; t < begins.size(); ++t) {
    uint32_t& best = forward[trace.tracks[t].process];
    if (begins[t] > 0 && (best == kNoRow || begins[t] > begins[best])) best = t;
  }
  std::vector<Pair> pairs;
  for (uint32_t t = 0; t < ends.size(); ++t) {
    const uint32_t from = ends[t] > begins[t] ? forward[trace.tracks[t].process] : kNoRow;
    if (from == kNoRow || from == t) continue;
    const Pair pair = {graph.thread_of_track[from], graph.thread_of_track[t], false};
    if (pair.forward != kNoRow && pair.backward != kNoRow) pairs.push_back(pair);
  }
  return pairs;
}

// By names: backward threads run backward operators; the forward thread is the step's, else the one
// with the most events besides.
std::vector<Pair> PairsByNames(const PathGraph& graph) {
  const TraceContext& context = *graph.context;
  const Trace& trace = context.trace;
  const auto names = static_cast<uint32_t>(trace.strings.size());
  std::vector<uint8_t> is_backward(names, 0);
  bool any = false;
  for (uint32_t i = 0; i < names; ++i) {
    is_backward[i] = BackwardNameOf(trace.Text(StringId{i})) != BackwardName::kNone ? 1 : 0;
    any = any || is_backward[i] != 0;
  }
  if (!any) return {};
  const SpanRow step = context.steps.rows.empty() ? kNoRow : context.steps.rows[0].span;
  uint32_t forward =
      step == kNoRow ? kNoRow : graph.thread_of_track[static_cast<size_t>(trace.spans.track[step])];
  std::vector<uint32_t> backward;
  uint32_t most = kNoRow;
  const auto count = [&](uint32_t t) {
    return graph.threads[t].last_node - graph.threads[t].first_node;
  };
  for (uint32_t t = 0; t < graph.threads.size(); ++t) {
    const auto first = context.tree.span.begin() + graph.threads[t].first_node;
    const auto last = context.tree.span.begin() + graph.threads[t].last_node;
    const bool found = t != forward && std::any_of(first, last, [&](SpanRow row) {
                         return trace.spans.category[row] == Category::kOperator &&
                                is_backward[static_cast<size_t>(trace.spans.name[row])] != 0;
                       });
    if (found) {
      backward.push_back(t);
    } else if (most == kNoRow || count(t) > count(most)) {
      most = t;
    }
  }
  if (forward == kNoRow) forward = most;
  std::vector<Pair> pairs;
  for (const uint32_t t : backward) {
    if (forward != kNoRow) pairs.push_back({forward, t, false});
  }
  return pairs;
}

// Threads that run nothing but collectives, for the thread that holds the steps.
std::vector<Pair> CommunicationPairs(const PathGraph& graph) {
  const TraceContext& context = *graph.context;
  const auto bit = static_cast<uint16_t>(NameFact::kCommunicationRange);
  const Column<uint16_t>& bits = context.facts.bits;
  const SpanRow step = context.steps.rows.empty() ? kNoRow : context.steps.rows[0].span;
  if (step == kNoRow ||
      std::none_of(bits.begin(), bits.end(), [&](uint16_t b) { return (b & bit) != 0; })) {
    return {};
  }
  const SpanTable& spans = context.trace.spans;
  const uint32_t forward = graph.thread_of_track[static_cast<size_t>(spans.track[step])];
  std::vector<Pair> pairs;
  for (uint32_t t = 0; t < graph.threads.size(); ++t) {
    const auto first = context.tree.span.begin() + graph.threads[t].first_node;
    const auto last = context.tree.span.begin() + graph.threads[t].last_node;
    const bool all = std::all_of(first, last, [&](SpanRow row) {
      return context.facts.Is(spans.name[row], NameFact::kCommunicationRange);
    });
    if (all && t != forward) pairs.push_back({forward, t, true});
  }
  return pairs;
}

class HandOvers {
 public:
  HandOvers(PathGraph& graph, std::vector<RawPoint>& points, uint32_t forward)
      : graph_(graph),
        points_(points),
        forward_(forward),
        busy_(BusyTimes(graph, forward)),
        last_back_(busy_.size(), kNoRow),
        first_out_(busy_.size(), kNoRow) {}

  void Add(const Pair& pair) {
    if (busy_.empty()) return;
    const std::vector<Busy> turns = BusyTimes(graph_, pair.backward);
    int64_t idle_since_ns = INT64_MIN;
    for (size_t i = 0; i < turns.size();) {
      // Turns within one pause belong together.
      const size_t pause = PauseAt(turns[i].start_ns);
      size_t last = i;
      while (pause != kNone && last + 1 < turns.size() && turns[last + 1].end_ns <= EndOf(pause)) {
        ++last;
      }
      AddBegin(pair.backward, pause, turns[i].start_ns, idle_since_ns);
      AddEnd(pair, turns[i].start_ns, turns[last].end_ns);
      idle_since_ns = turns[last].end_ns;
      i = last + 1;
    }
  }

  void Finish() {
    for (size_t pause = 0; pause + 1 < busy_.size(); ++pause) {
      if (last_back_[pause] == kNoRow) continue;
      RawPoint resume = At(forward_, busy_[pause + 1].start_ns);
      resume.point.own_end_ns = busy_[pause].end_ns;
      resume.point.wait = PointWait::kPoint;
      resume.point.waits_on = last_back_[pause];
      points_.push_back(resume);
    }
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  static RawPoint At(uint32_t thread, int64_t time_ns) {
    RawPoint raw;
    raw.point.thread = thread;
    raw.point.time_ns = raw.point.own_end_ns = time_ns;
    return raw;
  }

  // The busy time before the pause in which the moment lies.
  [[nodiscard]] size_t PauseAt(int64_t time_ns) const {
    const auto next = std::partition_point(
        busy_.begin(), busy_.end(), [&](const Busy& busy) { return busy.start_ns <= time_ns; });
    if (next == busy_.begin()) return kNone;
    return (next - 1)->end_ns <= time_ns ? static_cast<size_t>(next - busy_.begin()) - 1 : kNone;
  }

  [[nodiscard]] int64_t EndOf(size_t pause) const {
    return pause + 1 < busy_.size() ? busy_[pause + 1].start_ns : INT64_MAX;
  }

  // The other thread begins because of what the forward thread did last before.
  void AddBegin(uint32_t backward, size_t pause, int64_t start_ns, int64_t idle_since_ns) {
    const int64_t asked_ns = pause == kNone ? start_ns : busy_[pause].end_ns;
    if (idle_since_ns > asked_ns || start_ns < busy_[0].start_ns) return;
    PointId asked = pause == kNone ? kNoRow : first_out_[pause];
    if (asked == kNoRow) {
      asked = static_cast<PointId>(points_.size());
      points_.push_back(At(forward_, asked_ns));
      if (pause != kNone) first_out_[pause] = asked;
    }
    RawPoint begin = At(backward, start_ns);
    begin.point.own_end_ns = idle_since_ns;
    begin.point.wait = PointWait::kPoint;
    begin.point.waits_on = asked;
    points_.push_back(begin);
    ++graph_.notes.hand_overs;
  }

  // The forward thread goes on because the other one is done.
  void AddEnd(const Pair& pair, int64_t start_ns, int64_t end_ns) {
    const size_t pause = PauseAt(end_ns - 1);
    if (pause == kNone || pause + 1 >= busy_.size() || end_ns > EndOf(pause)) return;
    const int64_t since_ns = busy_[pause].end_ns;
    // A thread beside has to have been at work for most of the pause to be taken for its reason.
    if (pair.beside && 2 * (end_ns - std::max(start_ns, since_ns)) < EndOf(pause) - since_ns)
      return;
    if (!pair.beside && start_ns < since_ns) return;
    const PointId known = last_back_[pause];
    if (known != kNoRow && points_[known].point.time_ns >= end_ns) return;
    last_back_[pause] = static_cast<PointId>(points_.size());
    points_.push_back(At(pair.backward, end_ns));
  }

  PathGraph& graph_;
  std::vector<RawPoint>& points_;
  uint32_t forward_;
  std::vector<Busy> busy_;
  std::vector<PointId> last_back_;  // by pause: where the last turn in it ended
  std::vector<PointId> first_out_;  // by pause: where it began
};

}  // namespace

void FindHandOvers(PathGraph& graph, std::vector<RawPoint>& points) {
  std::vector<Pair> pairs = PairsByFlows(graph);
  if (pairs.empty()) pairs = PairsByNames(graph);
  for (const Pair& pair : CommunicationPairs(graph)) pairs.push_back(pair);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.forward < b.forward; });
  for (size_t i = 0; i < pairs.size();) {
    HandOvers hand_overs(graph, points, pairs[i].forward);
    const uint32_t forward = pairs[i].forward;
    for (; i < pairs.size() && pairs[i].forward == forward; ++i) hand_overs.Add(pairs[i]);
    hand_overs.Finish();
  }
}

}  // namespace telltale
