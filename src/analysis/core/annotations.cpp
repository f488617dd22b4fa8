// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/annotations.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/core/intervals.h"
#include "analysis/core/key_numbers.h"
#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

using RangeId = uint32_t;  // position in Ranges; kNoRow: none

constexpr std::string_view kAllSteps = "ProfilerStep*";

// The annotations after folding, in the order of the host tree: a range comes after the one around
// it.
struct Ranges {
  std::vector<NodeId> node;
  std::vector<RangeId> parent;
  Column<RangeId> innermost;  // by node: the range that it is, or the innermost around it
};

Ranges FindRanges(const TraceContext& context) {
  const HostTree& tree = context.tree;
  Ranges ranges;
  RangeId* const innermost = ranges.innermost.extend(tree.size());
  CancelCheck cancel;
  for (NodeId node = 0; node < tree.size(); ++node) {
    cancel.Tick();
    const NodeId counted = tree.folded_into[node];
    if (counted != node) {  // an earlier node
      innermost[node] = innermost[counted];
      continue;
    }
    const NodeId parent = tree.EffectiveParent(node);
    innermost[node] = parent == kNoRow ? kNoRow : innermost[parent];
    if (context.trace.spans.category[tree.span[node]] != Category::kAnnotation) continue;
    ranges.node.push_back(node);
    ranges.parent.push_back(innermost[node]);
    innermost[node] = static_cast<RangeId>(ranges.node.size() - 1);
  }
  return ranges;
}

// The range that started last and is still open, on any thread; ask in order of time.
class LatestOpen {
 public:
  LatestOpen(const TraceContext& context, const Ranges& ranges) {
    const auto& [trace, options, diagnostics, tree, facts, links, steps, selection] = context;
    for (RangeId range = 0; range < ranges.node.size(); ++range) {
      const SpanRow row = tree.span[ranges.node[range]];
      ranges_.push_back({trace.spans.start_ns[row], trace.spans.end_ns(row), range});
    }
    SortRuns(std::span(ranges_), [](const Range& a, const Range& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
  }
  [[nodiscard]] RangeId At(int64_t time_ns) {
    for (; next_ < ranges_.size() && ranges_[next_].start_ns <= time_ns; ++next_)
      open_.push_back(ranges_[next_]);
    // One that has ended is over for all later questions, too.
    while (!open_.empty() && open_.back().end_ns <= time_ns) open_.pop_back();
    return open_.empty() ? kNoRow : open_.back().range;
  }

 private:
  struct Range {
    int64_t start_ns;
    int64_t end_ns;
    RangeId range;
  };
  std::vector<Range> ranges_;
  std::vector<Range> open_;
  size_t next_ = 0;
};

// Device time of each range itself: of the events whose launch lies in it and in no range inside
// it. A launch on a thread without an open range (autograd's) counts for the range that started
// last.
std::vector<int64_t> DeviceSelf(const TraceContext& context, const Ranges& ranges,
                                int64_t& device_ns) {
  const auto& [trace, options, diagnostics, tree, facts, links, steps, selection] = context;
  std::vector<int64_t> self(ranges.node.size(), 0);
  struct Elsewhere {
    int64_t launch_ns;
    int64_t duration_ns;
  };
  std::vector<Elsewhere> elsewhere;
  CancelCheck cancel;
  for (size_t i = 0; i < links.size(); ++i) {
    cancel.Tick();
    if (!selection.HasDeviceEvent(trace, tree, links, i)) continue;
    const int64_t duration_ns = trace.spans.duration_ns[links.device[i]];
    AddTo(device_ns, duration_ns);
    const NodeId launch = links.launch[i];
    if (launch == kNoRow) continue;
    if (const RangeId range = ranges.innermost[launch]; range != kNoRow) {
      AddTo(self[range], duration_ns);
    } else {
      elsewhere.push_back({trace.spans.start_ns[tree.span[launch]], duration_ns});
    }
  }
  SortRuns(std::span(elsewhere),
           [](const Elsewhere& a, const Elsewhere& b) { return a.launch_ns < b.launch_ns; });
  LatestOpen open(context, ranges);
  for (const Elsewhere& event : elsewhere) {
    if (const RangeId range = open.At(event.launch_ns); range != kNoRow)
      AddTo(self[range], event.duration_ns);
  }
  return self;
}

// How much of the steps' host time lies before a moment.
class StepTime {
 public:
  explicit StepTime(const Steps& steps) {
    std::vector<Interval> hosts;
    if (steps.source != StepSource::kWholeTrace) {
      for (const Step& step : steps.rows) {
        if (step.selected) hosts.push_back(step.host);
      }
    }
    set_ = Union(std::move(hosts));
    int64_t sum = 0;
    for (const Interval& interval : set_) {
      before_.push_back(sum);
      AddTo(sum, Difference(interval.end_ns, interval.start_ns));
    }
    total_ns_ = sum;
  }
  [[nodiscard]] int64_t total_ns() const { return total_ns_; }
  [[nodiscard]] int64_t Before(int64_t time_ns) const {
    const auto after = std::upper_bound(
        set_.begin(), set_.end(), time_ns,
        [](int64_t time, const Interval& interval) { return time < interval.start_ns; });
    if (after == set_.begin()) return 0;
    const auto at = static_cast<size_t>(after - 1 - set_.begin());
    int64_t sum = before_[at];
    AddTo(sum, Difference(std::min(time_ns, set_[at].end_ns), set_[at].start_ns));
    return sum;
  }

 private:
  IntervalSet set_;
  std::vector<int64_t> before_;
  int64_t total_ns_ = 0;
};

// Which row each range counts for: by name, or by name below the row of the range around it.
class RowNumbers {
 public:
  RowNumbers(const TraceContext& context, const Ranges& ranges, AnnotationShape shape)
      : context_(context), ranges_(ranges), shape_(shape) {}

  // Ask for every range, in order.
  uint32_t Row(RangeId range, std::vector<AnnotationRow>& rows) {
    const Trace& trace = context_.trace;
    const SpanRow span = context_.tree.span[ranges_.node[range]];
    const StringId name = trace.spans.name[span];
    const bool step = !ProfilerStepNumber(trace.Text(name)).empty();
    const uint64_t name_key = step ? UINT32_MAX : static_cast<uint32_t>(name);
    const RangeId around = shape_ == AnnotationShape::kTree ? ranges_.parent[range] : kNoRow;
    const uint32_t parent = around == kNoRow ? kNoRow : row_of_[around];
    const uint32_t number = numbers_.Number((uint64_t{parent} << 32) | name_key);
    if (number == rows.size()) {
      AnnotationRow row;
      row.name = step ? kAllSteps : trace.Text(name);
      if (parent != kNoRow) {
        row.parent = parent;
        row.depth = rows[parent].depth + 1;
      }
      row.first_event = span;
      rows.push_back(std::move(row));
    }
    row_of_.push_back(number);
    return number;
  }

 private:
  const TraceContext& context_;
  const Ranges& ranges_;
  AnnotationShape shape_;
  KeyNumbers numbers_;
  std::vector<uint32_t> row_of_;
};

void AddCall(const AnnotationRow& call, AnnotationRow& row) {
  if (call.calls == 0) return;
  row.min_ns = row.calls == 0 ? call.min_ns : std::min(row.min_ns, call.min_ns);
  row.max_ns = row.calls == 0 ? call.max_ns : std::max(row.max_ns, call.max_ns);
  row.first_start_ns =
      row.calls == 0 ? call.first_start_ns : std::min(row.first_start_ns, call.first_start_ns);
  row.calls += call.calls;
  AddTo(row.host_total_ns, call.host_total_ns);
  AddTo(row.host_self_ns, call.host_self_ns);
  AddTo(row.device_total_ns, call.device_total_ns);
  AddTo(row.device_self_ns, call.device_self_ns);
  AddTo(row.in_steps_ns, call.in_steps_ns);
}

// Rows without calls hold the place of selected ones below them.
void RemoveUnused(std::vector<AnnotationRow>& rows) {
  std::vector<bool> used(rows.size(), false);
  for (size_t i = rows.size(); i-- > 0;) {  // a parent comes before its children
    if (rows[i].calls > 0) used[i] = true;
    if (used[i] && rows[i].parent) used[*rows[i].parent] = true;
  }
  std::vector<uint32_t> moved(rows.size(), 0);
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!used[i]) continue;
    moved[i] = static_cast<uint32_t>(kept);
    if (rows[i].parent) rows[i].parent = moved[*rows[i].parent];
    if (kept != i) rows[kept] = std::move(rows[i]);
    ++kept;
  }
  rows.resize(kept);
}

// Children behind their parents, siblings by time.
void PutInTreeOrder(std::vector<AnnotationRow>& rows) {
  std::vector<std::vector<uint32_t>> children(rows.size() + 1);  // the last: the outermost
  for (uint32_t i = 0; i < rows.size(); ++i)
    children[rows[i].parent.value_or(static_cast<uint32_t>(rows.size()))].push_back(i);
  const auto longer = [&rows](uint32_t a, uint32_t b) {
    return rows[a].host_total_ns != rows[b].host_total_ns
               ? rows[a].host_total_ns > rows[b].host_total_ns
               : rows[a].name < rows[b].name;
  };
  for (std::vector<uint32_t>& siblings : children)
    std::sort(siblings.begin(), siblings.end(), longer);
  std::vector<uint32_t> order;
  std::vector<uint32_t> open(children.back().rbegin(), children.back().rend());
  while (!open.empty()) {
    const uint32_t row = open.back();
    open.pop_back();
    order.push_back(row);
    open.insert(open.end(), children[row].rbegin(), children[row].rend());
  }
  std::vector<uint32_t> place(rows.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<AnnotationRow> sorted;
  sorted.reserve(rows.size());
  for (const uint32_t row : order) {
    sorted.push_back(std::move(rows[row]));
    if (sorted.back().parent) sorted.back().parent = place[*sorted.back().parent];
  }
  rows = std::move(sorted);
}

void PutInOrder(AnnotationShape shape, std::vector<AnnotationRow>& rows) {
  if (shape == AnnotationShape::kTree) return PutInTreeOrder(rows);
  std::sort(rows.begin(), rows.end(), [](const AnnotationRow& a, const AnnotationRow& b) {
    if (a.host_total_ns != b.host_total_ns) return a.host_total_ns > b.host_total_ns;
    return a.name != b.name ? a.name < b.name : a.first_event < b.first_event;
  });
}

// The device's own copies of the ranges: from the first to the last device event of each.
void AddDeviceLane(const TraceContext& context, AnnotationReport& report) {
  const Trace& trace = context.trace;
  std::map<std::string, size_t, std::less<>> row_of;
  for (size_t i = 0; i < report.rows.size(); ++i) row_of.emplace(report.rows[i].name, i);
  KeyNumbers numbers;
  std::vector<size_t> row_of_name;  // SIZE_MAX: none
  CancelCheck cancel;
  for (size_t span = 0; span < trace.spans.size(); ++span) {
    cancel.Tick();
    if (trace.spans.category[span] != Category::kGpuAnnotation) continue;
    report.has_device_lane = true;
    const StringId name = trace.spans.name[span];
    const uint32_t number = numbers.Number(static_cast<uint32_t>(name));
    if (number == row_of_name.size()) {
      const std::string_view text = trace.Text(name);
      const auto at = row_of.find(ProfilerStepNumber(text).empty() ? text : kAllSteps);
      row_of_name.push_back(at == row_of.end() ? SIZE_MAX : at->second);
    }
    if (row_of_name[number] == SIZE_MAX) continue;
    AnnotationRow& row = report.rows[row_of_name[number]];
    ++row.device_lane_calls;
    AddTo(row.device_lane_ns, trace.spans.duration_ns[span]);
  }
}

}  // namespace

AnnotationReport DescribeAnnotations(const TraceContext& context, AnnotationShape shape) {
  const auto& [trace, options, diagnostics, tree, facts, links, steps, selection] = context;
  AnnotationReport report;
  const Ranges ranges = FindRanges(context);
  const size_t count = ranges.node.size();
  const std::vector<int64_t> device_self = DeviceSelf(context, ranges, report.device_ns);
  std::vector<int64_t> device_total = device_self;
  std::vector<int64_t> host_inside(count, 0);  // of the ranges directly inside
  for (size_t i = count; i-- > 0;) {
    const RangeId parent = ranges.parent[i];
    if (parent == kNoRow) continue;
    AddTo(device_total[parent], device_total[i]);
    AddTo(host_inside[parent], trace.spans.duration_ns[tree.span[ranges.node[i]]]);
  }

  const StepTime step_time(steps);
  report.steps_ns = step_time.total_ns();
  RowNumbers numbers(context, ranges, shape);
  // Where a row's calls overlap, the steps' time is covered once.
  std::vector<std::vector<Interval>> covered;
  for (RangeId range = 0; range < count; ++range) {
    const uint32_t number = numbers.Row(range, report.rows);
    covered.resize(report.rows.size());
    const SpanRow span = tree.span[ranges.node[range]];
    if (!selection.HasHostTime(trace.spans.start_ns[span])) continue;
    AnnotationRow call;
    call.calls = 1;
    call.host_total_ns = call.min_ns = call.max_ns = trace.spans.duration_ns[span];
    call.host_self_ns = Difference(call.host_total_ns, host_inside[range]);
    call.device_total_ns = device_total[range];
    call.device_self_ns = device_self[range];
    call.first_start_ns = trace.spans.start_ns[span];
    AddTo(call.first_start_ns, trace.base_time_ns);
    AddCall(call, report.rows[number]);
    covered[number].push_back({trace.spans.start_ns[span], trace.spans.end_ns(span)});
  }
  for (size_t i = 0; i < report.rows.size(); ++i) {
    for (const Interval& part : Union(std::move(covered[i]))) {
      AddTo(report.rows[i].in_steps_ns,
            Difference(step_time.Before(part.end_ns), step_time.Before(part.start_ns)));
    }
  }
  RemoveUnused(report.rows);
  if (shape == AnnotationShape::kFlat) AddDeviceLane(context, report);
  PutInOrder(shape, report.rows);
  return report;
}

AnnotationReport MergeAnnotations(std::span<const AnnotationReport> reports,
                                  AnnotationShape shape) {
  AnnotationReport merged;
  std::map<std::pair<uint32_t, std::string>, uint32_t> numbers;
  for (const AnnotationReport& report : reports) {
    AddTo(merged.steps_ns, report.steps_ns);
    AddTo(merged.device_ns, report.device_ns);
    merged.has_device_lane |= report.has_device_lane;
    std::vector<uint32_t> row_of;
    for (const AnnotationRow& row : report.rows) {
      const uint32_t parent = row.parent ? row_of[*row.parent] : kNoRow;
      const auto [at, is_new] = numbers.try_emplace(std::pair(parent, row.name),
                                                    static_cast<uint32_t>(merged.rows.size()));
      if (is_new) {
        AnnotationRow fresh;
        fresh.name = row.name;
        if (row.parent) fresh.parent = parent;
        fresh.depth = row.depth;
        fresh.first_event = merged.rows.size();
        merged.rows.push_back(std::move(fresh));
      }
      AnnotationRow& sum = merged.rows[at->second];
      AddCall(row, sum);
      sum.device_lane_calls += row.device_lane_calls;
      AddTo(sum.device_lane_ns, row.device_lane_ns);
      row_of.push_back(at->second);
    }
  }
  PutInOrder(shape, merged.rows);
  return merged;
}

}  // namespace telltale
