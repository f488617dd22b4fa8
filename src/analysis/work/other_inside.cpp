// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/other_inside.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/core/step_categories.h"
#include "analysis/core/sums.h"
#include "analysis/core/thread_rows.h"
#include "analysis/functions/own_code.h"
#include "base/cancel.h"
#include "base/frame_name.h"

namespace telltale {

namespace {

// Where a stretch lies that nothing traced is around.
enum class Place : uint8_t { kBetween, kBefore, kAfter, kAlone, kBehind };

OtherRow RowOf(Place place) {
  OtherRow row;
  switch (place) {
    case Place::kBetween:
      row.what = "between operators";
      row.kind = OtherKind::kOperatorGap;
      break;
    case Place::kBefore:
      row.what = "before the first operator";
      break;
    case Place::kAfter:
      row.what = "after the last operator";
      break;
    case Place::kAlone:
      row.what = "no operator in the step";
      break;
    case Place::kBehind:
      row.what = "after the step's end on the host";
      break;
  }
  return row;
}

// Rows by the trace's string id of a name (one as an annotation, one as a function) and by place.
class Rows {
 public:
  explicit Rows(const TraceContext& context)
      : trace_(context.trace), of_name_(2 * context.trace.strings.size(), kNoRow) {}

  void Add(SpanRow span, const Interval& time) {
    const bool annotation = trace_.spans.category[span] == Category::kAnnotation;
    const StringId name = trace_.spans.name[span];
    uint32_t& number = of_name_[2 * static_cast<size_t>(name) + (annotation ? 1 : 0)];
    if (number == kNoRow) {
      number = static_cast<uint32_t>(rows_.size());
      OtherRow row;
      row.kind = annotation ? OtherKind::kAnnotation : OtherKind::kPython;
      row.what = annotation ? std::string(trace_.Text(name)) : WithoutAddress(trace_.Text(name));
      rows_.push_back(std::move(row));
    }
    AddTime(rows_[number], time);
  }

  void Add(Place place, const Interval& time) {
    uint32_t& number = of_place_[static_cast<size_t>(place)];
    if (number == kNoRow) {
      number = static_cast<uint32_t>(rows_.size());
      rows_.push_back(RowOf(place));
    }
    AddTime(rows_[number], time);
  }

  [[nodiscard]] std::vector<OtherRow> Take() { return std::move(rows_); }

 private:
  void AddTime(OtherRow& row, const Interval& time) const {
    const int64_t length = Difference(time.end_ns, time.start_ns);
    AddTo(row.total_ns, length);
    if (length <= row.longest_ns) return;
    row.longest_ns = length;
    row.longest_start_ns = time.start_ns;
    AddTo(row.longest_start_ns, trace_.base_time_ns);
  }

  const Trace& trace_;
  std::vector<uint32_t> of_name_;
  std::array<uint32_t, 5> of_place_ = {kNoRow, kNoRow, kNoRow, kNoRow, kNoRow};
  std::vector<OtherRow> rows_;
};

// How well a range says what is inside it.
enum class Weight : uint8_t {
  kUnseen,
  kNothing,  // a step
  kLibrary,  // a function of a library, or the frame of a module, whose function is inside it
  kOwn,      // a range of the user's, or an own function
};

class Weights {
 public:
  explicit Weights(const TraceContext& context)
      : context_(context), of_name_(2 * context.trace.strings.size(), Weight::kUnseen) {}

  [[nodiscard]] Weight Of(SpanRow span) {
    const Trace& trace = context_.trace;
    const bool annotation = trace.spans.category[span] == Category::kAnnotation;
    const auto name = static_cast<size_t>(trace.spans.name[span]);
    Weight& weight = of_name_[2 * name + (annotation ? 1 : 0)];
    if (weight == Weight::kUnseen)
      weight = annotation ? OfAnnotation(trace.spans.name[span]) : OfFrame(trace.NameOfSpan(span));
    return weight;
  }

 private:
  [[nodiscard]] Weight OfAnnotation(StringId name) const {
    const bool step = context_.facts.Is(name, NameFact::kStep) ||
                      !ProfilerStepNumber(context_.trace.Text(name)).empty();
    return step ? Weight::kNothing : Weight::kOwn;
  }
  [[nodiscard]] static Weight OfFrame(std::string_view text) {
    return IsLibraryFrame(text) ? Weight::kLibrary : Weight::kOwn;
  }

  const TraceContext& context_;
  std::vector<Weight> of_name_;
};

// What is open on a thread: at each moment the range that began last and still runs.
class OpenRanges {
 public:
  struct Range {
    SpanRow span = kNoRow;
    int64_t end_ns = 0;
  };
  void Add(const Range& range) { open_.push_back(range); }
  // Ask in order of time.
  [[nodiscard]] const Range* At(int64_t time_ns) {
    while (!open_.empty() && open_.back().end_ns <= time_ns) open_.pop_back();
    return open_.empty() ? nullptr : &open_.back();
  }

 private:
  std::vector<Range> open_;
};

// When the work of one thread began: operators, runtime calls, collectives, waits for data. What
// has no length divides no stretch.
class WorkStarts {
 public:
  WorkStarts(const TraceContext& context, const HostThread& thread) {
    for (NodeId node = thread.first; node < thread.last; ++node) {
      const SpanRow row = context.tree.span[node];
      if (context.trace.spans.duration_ns[row] > 0 &&
          CategoryOfHostEvent(context.trace, context.facts, row))
        starts_.push_back(context.trace.spans.start_ns[row]);
    }
  }

  // Of a moment at which no work runs.
  [[nodiscard]] Place PlaceOf(const Interval& host, int64_t time_ns) const {
    if (time_ns >= host.end_ns) return Place::kBehind;
    const size_t first = CountBefore(host.start_ns);
    const size_t last = CountBefore(host.end_ns);
    if (first >= last) return Place::kAlone;
    if (time_ns < starts_[first]) return Place::kBefore;
    return time_ns < starts_[last - 1] ? Place::kBetween : Place::kAfter;
  }

 private:
  [[nodiscard]] size_t CountBefore(int64_t time_ns) const {
    return static_cast<size_t>(std::lower_bound(starts_.begin(), starts_.end(), time_ns) -
                               starts_.begin());
  }

  std::vector<int64_t> starts_;  // ascending
};

// The thread that stands for a trace without steps: where host events reach furthest, from the
// first start to the last end. A helper starts later or ends earlier.
TrackId MainThread(const TraceContext& context) {
  const SpanTable& spans = context.trace.spans;
  TrackId main = {};
  int64_t furthest = -1;
  for (const HostThread& thread : context.tree.threads) {
    int64_t end = std::numeric_limits<int64_t>::min();
    for (NodeId node = thread.first; node < thread.last; ++node)
      end = std::max(end, spans.end_ns(context.tree.span[node]));
    const int64_t reach = Difference(end, spans.start_ns[context.tree.span[thread.first]]);
    if (reach <= furthest) continue;
    furthest = reach;
    main = thread.track;
  }
  return main;
}

// One thread, for the steps that run on it, in order of time.
class ThreadSweep {
 public:
  ThreadSweep(const TraceContext& context, const WorkStarts& work, std::span<const SpanRow> ranges,
              Weights& weights, Rows& rows)
      : spans_(context.trace.spans), work_(work), ranges_(ranges), weights_(weights), rows_(rows) {}

  void Add(const OtherTime& other) {
    for (const Interval& stretch : other.stretches) {
      for (int64_t now = stretch.start_ns; now < stretch.end_ns;) {
        cancel_.Tick();
        Open(now);
        int64_t until = stretch.end_ns;
        if (next_ < ranges_.size()) until = std::min(until, spans_.start_ns[ranges_[next_]]);
        const OpenRanges::Range* around = own_.At(now);
        if (around == nullptr) around = library_.At(now);
        if (around != nullptr) {
          until = std::min(until, around->end_ns);
          rows_.Add(around->span, {now, until});
        } else {
          const Interval& host = other.step->host;
          if (now < host.end_ns) until = std::min(until, host.end_ns);
          rows_.Add(work_.PlaceOf(host, now), {now, until});
        }
        now = until;
      }
    }
  }

 private:
  // The ranges that have begun by then.
  void Open(int64_t time_ns) {
    for (; next_ < ranges_.size() && spans_.start_ns[ranges_[next_]] <= time_ns; ++next_) {
      const SpanRow span = ranges_[next_];
      const int64_t end_ns = spans_.end_ns(span);
      if (end_ns <= time_ns) continue;
      const Weight weight = weights_.Of(span);
      if (weight == Weight::kOwn) own_.Add({span, end_ns});
      if (weight == Weight::kLibrary) library_.Add({span, end_ns});
    }
  }

  const SpanTable& spans_;
  const WorkStarts& work_;
  std::span<const SpanRow> ranges_;
  Weights& weights_;
  Rows& rows_;
  OpenRanges own_;
  OpenRanges library_;
  size_t next_ = 0;
  CancelCheck cancel_;
};

}  // namespace

std::vector<OtherRow> DescribeOther(const TraceContext& context,
                                    const std::vector<OtherTime>& other) {
  const Trace& trace = context.trace;
  Rows rows(context);
  std::vector<std::vector<const OtherTime*>> of_track(trace.tracks.size());
  for (const OtherTime& time : other) {
    if (context.tree.threads.empty()) {  // then there is no step, and nothing but the device
      for (const Interval& stretch : time.stretches) rows.Add(Place::kAlone, stretch);
    }
    if (time.stretches.empty() || context.tree.threads.empty()) continue;
    const TrackId track =
        time.step->span == kNoRow ? MainThread(context) : trace.spans.track[time.step->span];
    of_track[static_cast<size_t>(track)].push_back(&time);
  }
  Column<SpanRow> ranges;
  const std::vector<HostThread> threads = GatherByTrack(trace, ranges, [&](size_t row) {
    const Category category = trace.spans.category[row];
    return (category == Category::kPython || category == Category::kAnnotation) &&
           !of_track[static_cast<size_t>(trace.spans.track[row])].empty();
  });
  Weights weights(context);
  for (const HostThread& host : context.tree.threads) {
    const auto& steps = of_track[static_cast<size_t>(host.track)];
    if (steps.empty()) continue;
    std::span<SpanRow> of_thread;
    if (const auto at = std::ranges::lower_bound(threads, host.track, {}, &HostThread::track);
        at != threads.end() && at->track == host.track) {
      of_thread = {ranges.data() + at->first, at->last - at->first};
      SortForNesting(trace, of_thread);
    }
    const WorkStarts work(context, host);
    ThreadSweep sweep(context, work, of_thread, weights, rows);
    for (const OtherTime* time : steps) sweep.Add(*time);
  }
  std::vector<OtherRow> described = rows.Take();
  SetOtherAverages(static_cast<int64_t>(other.size()), described);
  return described;
}

}  // namespace telltale
