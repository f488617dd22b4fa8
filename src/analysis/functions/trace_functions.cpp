// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/trace_functions.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/sums.h"
#include "analysis/core/thread_rows.h"
#include "base/cancel.h"
#include "base/frame_name.h"

namespace telltale {

namespace {

constexpr std::string_view kPySpy = "py-spy";

// Which spans are functions: torch's Python frames; without them those of the Python tracers
// (viztracer --log_torch); in a trace that has nothing of torch, all spans.
class FunctionSpans {
 public:
  explicit FunctionSpans(const Trace& trace) : spans_(trace.spans) {
    std::array<bool, kCategoryCount> present{};
    for (const Category category : spans_.category) present[static_cast<size_t>(category)] = true;
    has_other_ = present[static_cast<size_t>(Category::kOther)];
    // What other tracers have too says nothing.
    for (const Category category :
         {Category::kOther, Category::kTraceSpan, Category::kOverhead, Category::kUnmatched}) {
      present[static_cast<size_t>(category)] = false;
    }
    has_torch_ = std::ranges::any_of(present, std::identity());
    wanted_ =
        present[static_cast<size_t>(Category::kPython)] ? Category::kPython : Category::kOther;
    for (const CategoryEntry& entry : trace.categories) {
      const std::string_view text = trace.Text(entry.text);
      of_tracer_.push_back(text == "fee" || text == "FEE" || text == kPySpy);
    }
  }

  [[nodiscard]] bool Has(size_t row) const {
    if (spans_.category[row] != wanted_) return false;
    return wanted_ == Category::kPython || !has_torch_ ||
           of_tracer_[static_cast<size_t>(spans_.category_id[row])];
  }
  [[nodiscard]] bool nothing_else() const { return has_other_ && !has_torch_; }

 private:
  const SpanTable& spans_;
  bool has_other_ = false;
  bool has_torch_ = false;
  Category wanted_ = Category::kOther;
  std::vector<bool> of_tracer_;  // by category id
};

// Functions by the trace's string id of the event's name, taken apart on first use.
class FunctionsByName {
 public:
  FunctionsByName(const Trace& trace, CallTreeBuilder& builder)
      : trace_(trace), builder_(builder), ids_(trace.strings.size(), kNoFunction) {}

  FunctionId Of(StringId name) {
    FunctionId& id = ids_[static_cast<size_t>(name)];
    if (id != kNoFunction) return id;
    const std::string text = WithoutAddress(trace_.Text(name));
    const FrameName frame = SplitFrameName(text);
    return id = builder_.FunctionOf(frame.file, frame.line.value_or(kNoInt), frame.name,
                                    frame.module);
  }

 private:
  const Trace& trace_;
  CallTreeBuilder& builder_;
  std::vector<FunctionId> ids_;
};

// The host time of the selected steps, in order, without overlap.
std::vector<Interval> SelectedTime(const TraceContext& context) {
  std::vector<Interval> windows;
  if (context.selection.Everything()) return windows;
  for (const Step& step : context.steps.rows) {
    if (!step.selected) continue;
    const int64_t start =
        windows.empty() ? step.host.start_ns : std::max(step.host.start_ns, windows.back().end_ns);
    if (step.host.end_ns > start) windows.push_back({start, step.host.end_ns});
  }
  return windows;
}

// One thread's events, ordered by start, then longer first. At each moment the latest event that
// still runs is on top and gets the time, so that every moment counts once.
class ThreadSweep {
 public:
  ThreadSweep(const TraceContext& context, std::span<const Interval> windows,
              FunctionsByName& functions, CallTreeBuilder& builder, FunctionProfile& profile,
              uint32_t thread, int64_t thread_start)
      : trace_(context.trace),
        everything_(context.selection.Everything()),
        windows_(windows),
        functions_(functions),
        builder_(builder),
        profile_(profile),
        thread_(thread),
        thread_start_(thread_start) {}

  void Add(SpanRow row) {
    const int64_t start = trace_.spans.start_ns[row];
    const int64_t end = trace_.spans.end_ns(row);
    // What ended before gives the time since to what is under it; what the new event overtakes
    // (a partial overlap) ends here, for the new one is on top from now on.
    while (!open_.empty() && open_.back().end <= start) Pop();
    Advance(start);
    while (!open_.empty() && open_.back().end < end) {
      profile_.diagnostics.Add(DiagnosticKind::kPartialOverlap, trace_.spans.offset[row]);
      open_.pop_back();
    }
    open_.push_back({row, end, kNoCallNode});
    if (InSelection(start)) ++profile_.tree.calls[NodeOf(open_.size() - 1)];
    if (end <= start) open_.pop_back();
  }

  void Finish() {
    while (!open_.empty()) Pop();
  }

 private:
  struct Open {
    SpanRow row;
    int64_t end;
    CallNodeId node;  // made when it gets time or a call
  };

  void Pop() {
    Advance(open_.back().end);
    open_.pop_back();
  }

  // Starts come in order, so the windows are passed once.
  bool InSelection(int64_t time) {
    if (everything_) return true;
    while (window_ < windows_.size() && windows_[window_].end_ns <= time) ++window_;
    return window_ < windows_.size() && windows_[window_].start_ns <= time;
  }

  // The node of the open event at `place`, with those above it.
  CallNodeId NodeOf(size_t place) {
    size_t known = place + 1;
    while (known > 0 && open_[known - 1].node == kNoCallNode) --known;
    CallNodeId node = known == 0 ? kNoCallNode : open_[known - 1].node;
    for (size_t i = known; i <= place; ++i) {
      node = builder_.Child(node, functions_.Of(trace_.spans.name[open_[i].row]));
      open_[i].node = node;
    }
    return node;
  }

  // Gives the time until `time` to what is on top.
  void Advance(int64_t time) {
    if (time <= now_) return;
    if (!open_.empty()) {
      if (everything_) {
        Emit(now_, time);
      } else {
        for (; window_ < windows_.size() && windows_[window_].start_ns < time; ++window_) {
          Emit(std::max(now_, windows_[window_].start_ns),
               std::min(time, windows_[window_].end_ns));
          if (windows_[window_].end_ns > time) break;
        }
      }
    }
    now_ = time;
  }

  void Emit(int64_t start, int64_t end) {
    if (end <= start) return;
    const CallNodeId node = NodeOf(open_.size() - 1);
    profile_.tree.self[node] += end - start;
    profile_.timeline.push_back({node, thread_, start - thread_start_, end - start});
  }

  const Trace& trace_;
  bool everything_;
  std::span<const Interval> windows_;
  FunctionsByName& functions_;
  CallTreeBuilder& builder_;
  FunctionProfile& profile_;
  uint32_t thread_;
  int64_t thread_start_;
  std::vector<Open> open_;  // ends never grow towards the top
  int64_t now_ = INT64_MIN;
  size_t window_ = 0;
};

std::string ThreadName(const Trace& trace, const Track& track) {
  const std::string tid(trace.Text(track.tid.text));
  const std::string name(trace.Text(track.thread_name));
  if (name.empty()) return "thread " + tid;
  return name.find(tid) != std::string::npos ? name : name + " (" + tid + ")";
}

// py-spy samples: its events are stretches between samples, not calls.
bool IsSampled(const Trace& trace) {
  return std::ranges::any_of(trace.categories, [&](const CategoryEntry& entry) {
    return trace.Text(entry.text) == kPySpy;
  });
}

}  // namespace

bool IsTraceOfFunctions(const Trace& trace) { return FunctionSpans(trace).nothing_else(); }

FunctionProfile FunctionsOfTrace(const TraceContext& context) {
  const Trace& trace = context.trace;
  FunctionProfile profile;
  profile.source = trace.source;
  const FunctionSpans wanted(trace);
  Column<SpanRow> rows;
  const std::vector<HostThread> threads =
      GatherByTrack(trace, rows, [&](size_t row) { return wanted.Has(row); });
  CallTreeBuilder builder(profile);
  FunctionsByName functions(trace, builder);
  const std::vector<Interval> windows = SelectedTime(context);
  // Each event begins and ends at most one stretch.
  profile.timeline.reserve(context.selection.Everything() ? 2 * rows.size() : 0);
  int64_t start_ns = INT64_MAX;
  for (const HostThread& thread : threads) {
    const std::span<SpanRow> of_thread(rows.data() + thread.first, thread.last - thread.first);
    SortForNesting(trace, of_thread);
    const int64_t first_ns = trace.spans.start_ns[of_thread.front()];
    start_ns = std::min(start_ns, first_ns);
    profile.thread_starts.push_back(first_ns);
    ThreadSweep sweep(context, windows, functions, builder, profile,
                      static_cast<uint32_t>(profile.threads.size()), first_ns);
    profile.threads.push_back(ThreadName(trace, trace.tracks[static_cast<size_t>(thread.track)]));
    CancelCheck cancel;
    for (const SpanRow row : of_thread) {
      cancel.Tick();
      sweep.Add(row);
    }
    sweep.Finish();
  }
  profile.timeline.shrink_to_fit();
  for (int64_t& start : profile.thread_starts) SubtractFrom(start, start_ns);
  if (!threads.empty() && trace.base_time_ns != 0) {
    profile.start_ns = trace.base_time_ns + start_ns;
  }
  if (IsSampled(trace)) std::fill(profile.tree.calls.begin(), profile.tree.calls.end(), kNoUint);
  return profile;
}

}  // namespace telltale
