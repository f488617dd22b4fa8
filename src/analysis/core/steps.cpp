// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/steps.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "analysis/core/sort_runs.h"
#include "analysis/core/step_categories.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

bool IsOperatorOrAnnotation(Category category) {
  return category == Category::kOperator || category == Category::kAnnotation;
}

// Device events in the order of their launches, for questions about those launched in some
// interval.
class LaunchOrder {
 public:
  LaunchOrder(const Trace& trace, const HostTree& tree, const DeviceLinks& links) {
    for (size_t i = 0; i < links.size(); ++i) {
      if (links.launch[i] == kNoRow) continue;
      const SpanRow row = links.device[i];
      events_.push_back({trace.spans.start_ns[tree.span[links.launch[i]]],
                         trace.spans.start_ns[row], trace.spans.end_ns(row)});
    }
    SortRuns(std::span(events_),
             [](const Event& a, const Event& b) { return a.launch_ns < b.launch_ns; });
    // A tree of maxima: node i covers nodes 2i and 2i + 1, the leaves are the events.
    latest_.assign(2 * events_.size(), kNever);
    for (size_t i = 0; i < events_.size(); ++i) latest_[events_.size() + i] = events_[i].end_ns;
    for (size_t i = events_.size(); i-- > 1;) {
      latest_[i] = std::max(latest_[2 * i], latest_[2 * i + 1]);
    }
  }

  struct Range {
    size_t first = 0;
    size_t last = 0;
    [[nodiscard]] size_t size() const { return last - first; }
  };

  [[nodiscard]] Range LaunchedIn(const Interval& host) const {
    const size_t first = FirstFrom(host.start_ns);
    return {first, std::max(first, FirstFrom(host.end_ns))};
  }

  // kNever for an empty range.
  [[nodiscard]] int64_t LatestEnd(Range range) const {
    int64_t latest = kNever;
    size_t first = range.first + events_.size();
    size_t last = range.last + events_.size();
    for (; first < last; first /= 2, last /= 2) {
      if (first % 2 == 1) latest = std::max(latest, latest_[first++]);
      if (last % 2 == 1) latest = std::max(latest, latest_[--last]);
    }
    return latest;
  }

  [[nodiscard]] int64_t EarliestStart(Range range) const {
    int64_t earliest = std::numeric_limits<int64_t>::max();
    for (size_t i = range.first; i < range.last; ++i)
      earliest = std::min(earliest, events_[i].start_ns);
    return earliest;
  }

 private:
  struct Event {
    int64_t launch_ns;
    int64_t start_ns;
    int64_t end_ns;
  };

  [[nodiscard]] size_t FirstFrom(int64_t time_ns) const {
    const auto at =
        std::lower_bound(events_.begin(), events_.end(), time_ns,
                         [](const Event& e, int64_t time) { return e.launch_ns < time; });
    return static_cast<size_t>(at - events_.begin());
  }

  std::vector<Event> events_;
  std::vector<int64_t> latest_;
};

std::vector<Step> CollectSteps(const Trace& trace, const HostTree& tree, const NameFacts& facts) {
  const SpanTable& spans = trace.spans;
  std::vector<Step> steps;
  CancelCheck cancel;
  for (NodeId node = 0; node < tree.size(); ++node) {
    cancel.Tick();
    const SpanRow row = tree.span[node];
    if (!IsOperatorOrAnnotation(spans.category[row]) ||
        !facts.Is(spans.name[row], NameFact::kStep)) {
      continue;
    }
    Step step;
    step.span = row;
    step.host = step.bounds = {spans.start_ns[row], spans.end_ns(row)};
    steps.push_back(step);
  }
  SortRuns(std::span(steps), [](const Step& a, const Step& b) {
    if (a.host.start_ns != b.host.start_ns) return a.host.start_ns < b.host.start_ns;
    if (a.host.end_ns != b.host.end_ns) return a.host.end_ns > b.host.end_ns;
    return a.span < b.span;
  });
  return steps;
}

IntervalSet HostTimes(const std::vector<Step>& steps, bool selected_only) {
  std::vector<Interval> intervals;
  for (const Step& step : steps) {
    if (step.selected || !selected_only) intervals.push_back(step.host);
  }
  return Union(std::move(intervals));
}

// Work from before the first step that was still running: the last end of the device events that no
// step launched and that are over before the first step's own first device event starts.
int64_t LeftOverEnd(const Trace& trace, const HostTree& tree, const DeviceLinks& links,
                    const std::vector<Step>& steps, int64_t first_own_start) {
  const IntervalSet launched_by_steps = HostTimes(steps, false);
  int64_t latest = kNever;
  for (size_t i = 0; i < links.size(); ++i) {
    const int64_t end = trace.spans.end_ns(links.device[i]);
    if (end >= first_own_start || end <= latest) continue;
    const NodeId launch = links.launch[i];
    if (launch != kNoRow && Contains(launched_by_steps, trace.spans.start_ns[tree.span[launch]]))
      continue;
    latest = end;
  }
  return latest;
}

void SetBounds(const Trace& trace, const HostTree& tree, const DeviceLinks& links,
               std::vector<Step>& steps) {
  const LaunchOrder launches(trace, tree, links);
  int64_t previous_end = kNever;
  for (size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    const LaunchOrder::Range own = launches.LaunchedIn(step.host);
    step.device_events = own.size();
    if (i == 0 && own.size() > 0) {
      previous_end = LeftOverEnd(trace, tree, links, steps, launches.EarliestStart(own));
    }
    step.bounds.start_ns = std::max(step.host.start_ns, previous_end);
    // Never before its start, even where the previous step's device work outlasts all of it.
    step.bounds.end_ns =
        std::max({step.host.end_ns, launches.LatestEnd(own), step.bounds.start_ns});
    previous_end = step.bounds.end_ns;
  }
}

// Trailing steps without device work while earlier ones have some, and then the last of the others
// if it has fewer than 0.8 of the device events of the one before.
void MarkIncomplete(const Trace& trace, std::vector<Step>& steps, Diagnostics& diagnostics) {
  auto mark = [&](Step& step) {
    step.complete = false;
    diagnostics.Add(DiagnosticKind::kIncompleteStep, trace.spans.offset[step.span]);
  };
  const auto has_work = [](const Step& step) { return step.device_events > 0; };
  if (std::none_of(steps.begin(), steps.end(), has_work)) return;
  size_t last = steps.size() - 1;
  for (; !has_work(steps[last]); --last) mark(steps[last]);
  if (last > 0 && 10 * steps[last].device_events < 8 * steps[last - 1].device_events)
    mark(steps[last]);
}

// The number that --steps speaks of: the name's, where it is one, else the position.
int64_t StepNumber(const Trace& trace, const Steps& steps, size_t position) {
  const auto one_based = static_cast<int64_t>(position) + 1;
  std::string_view name = trace.NameOfSpan(steps.rows[position].span);
  if (steps.source == StepSource::kProfilerStep) name = ProfilerStepNumber(name);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : one_based;
}

std::optional<Step> WholeTrace(const Trace& trace, const HostTree& tree, const DeviceLinks& links) {
  if (tree.size() == 0 && links.size() == 0) return std::nullopt;
  Interval all = {std::numeric_limits<int64_t>::max(), kNever};
  auto include = [&](SpanRow row) {
    all.start_ns = std::min(all.start_ns, trace.spans.start_ns[row]);
    all.end_ns = std::max(all.end_ns, trace.spans.end_ns(row));
  };
  for (const SpanRow row : tree.span) include(row);
  for (const SpanRow row : links.device) include(row);
  Step step;
  step.host = step.bounds = all;
  step.device_events = links.size();
  return step;
}

}  // namespace

std::string_view ProfilerStepNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  const bool digits =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? name : std::string_view();
}

std::string StepName(const Trace& trace, const Steps& steps, const Step& step) {
  switch (steps.source) {
    case StepSource::kProfilerStep:
      return std::string(ProfilerStepNumber(trace.NameOfSpan(step.span)));
    case StepSource::kAnnotation:
      return std::string(trace.NameOfSpan(step.span));
    case StepSource::kWholeTrace:
      return "0";
  }
  return {};
}

Interval Steps::Window() const {
  Interval window;
  bool any = false;
  for (const Step& step : rows) {
    if (!step.selected) continue;
    if (!any) window = step.bounds;
    window.end_ns = step.bounds.end_ns;  // in time order
    any = true;
  }
  return window;
}

Selection::Selection(const Steps& steps) {
  everything_ =
      std::all_of(steps.rows.begin(), steps.rows.end(), [](const Step& s) { return s.selected; });
  if (!everything_) host_ = HostTimes(steps.rows, true);
}

Selection::Selection(const Steps& steps, const IntervalSet& inside) : Selection(steps) {
  host_ = everything_ ? inside : Intersection(host_, inside);
  everything_ = false;
}

Steps FindSteps(const Trace& trace, const HostTree& tree, const DeviceLinks& links,
                const NameFacts& facts, const AnalysisOptions& options, Diagnostics& diagnostics) {
  Steps steps;
  steps.rows = CollectSteps(trace, tree, facts);
  if (steps.rows.empty()) {
    if (std::optional<Step> whole = WholeTrace(trace, tree, links)) {
      // It has no number, so no range of numbers holds it.
      whole->selected = !options.first_step && !options.last_step;
      steps.rows.push_back(*whole);
      diagnostics.Add(DiagnosticKind::kNoSteps, std::nullopt);
    }
    return steps;
  }
  steps.source =
      options.step_annotation.empty() ? StepSource::kProfilerStep : StepSource::kAnnotation;
  SetBounds(trace, tree, links, steps.rows);
  MarkIncomplete(trace, steps.rows, diagnostics);
  if (options.first_step || options.last_step) {
    for (size_t i = 0; i < steps.rows.size(); ++i) {
      const int64_t number = StepNumber(trace, steps, i);
      steps.rows[i].selected = number >= options.first_step.value_or(number) &&
                               number <= options.last_step.value_or(number);
    }
  }
  return steps;
}

StepReport DescribeSteps(const Trace& trace, const HostTree& tree, const DeviceLinks& links,
                         const NameFacts& facts, const Steps& steps,
                         std::vector<OtherTime>* other) {
  StepPartition partition(trace, tree, links, facts);
  StepReport report;
  report.source = steps.source;
  for (const Step& step : steps.rows) {
    if (!step.selected) continue;
    StepRow row;
    row.name = StepName(trace, steps, step);
    row.start_ns = step.bounds.start_ns;
    AddTo(row.start_ns, trace.base_time_ns);
    row.duration_ns = Difference(step.bounds.end_ns, step.bounds.start_ns);
    row.complete = step.complete;
    if (step.span != kNoRow) {
      row.range_ns = Difference(step.host.end_ns, step.host.start_ns);
      row.starts_late_ns = Difference(step.bounds.start_ns, step.host.start_ns);
      row.ends_late_ns = Difference(step.bounds.end_ns, step.host.end_ns);
    }
    OtherTime* const rest =
        other != nullptr && step.complete ? &other->emplace_back(&step, IntervalSet()) : nullptr;
    row.categories = partition.Divide(step.bounds, rest == nullptr ? nullptr : &rest->stretches);
    row.device_events = step.device_events;
    report.rows.push_back(std::move(row));
  }
  SetAverages(report);
  return report;
}

void SetAverages(StepReport& report) {
  int64_t complete = 0;
  report.average_ns = 0;
  report.average = {};
  report.starts_late_ns = 0;
  report.ends_late_ns = 0;
  int64_t ranges_ns = 0;
  bool have_ranges = true;
  for (const StepRow& row : report.rows) {
    if (!row.complete) continue;
    ++complete;
    have_ranges = have_ranges && row.range_ns.has_value();
    AddTo(ranges_ns, row.range_ns.value_or(0));
    AddTo(report.starts_late_ns, row.starts_late_ns);
    AddTo(report.ends_late_ns, row.ends_late_ns);
    AddTo(report.average_ns, row.duration_ns);
    for (size_t c = 0; c < kStepCategoryCount; ++c) AddTo(report.average[c], row.categories[c]);
  }
  report.average_ns = Mean(report.average_ns, complete);
  report.range_ns.reset();
  if (complete > 0 && have_ranges) report.range_ns = Mean(ranges_ns, complete);
  report.starts_late_ns = Mean(report.starts_late_ns, complete);
  report.ends_late_ns = Mean(report.ends_late_ns, complete);
  for (int64_t& time : report.average) time = Mean(time, complete);
  SetOtherAverages(complete, report.other_inside);
}

}  // namespace telltale
