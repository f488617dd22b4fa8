// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/stragglers.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/core/interval_cover.h"
#include "analysis/core/runtime_calls.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// Ranks whose late arrivals are explained, by the time the others waited for them.
constexpr size_t kMostExplained = 8;
constexpr size_t kMostActivities = 10;

// A file and the rank it was late or early for.
struct Pair {
  uint32_t file;
  uint32_t last;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

ActivityKind KindOf(Category category) {
  switch (category) {
    case Category::kAnnotation:
      return ActivityKind::kAnnotation;
    case Category::kRuntime:
      return ActivityKind::kRuntime;
    case Category::kKernel:
      return ActivityKind::kKernel;
    case Category::kMemcpy:
      return ActivityKind::kMemcpy;
    case Category::kMemset:
      return ActivityKind::kMemset;
    default:
      return ActivityKind::kOperator;
  }
}

using ActivityTimes = std::map<std::pair<ActivityKind, std::string_view>, int64_t>;

// What one file did in several sets of windows, each its own sum.
class WindowSums {
 public:
  WindowSums(const TraceContext& context, std::vector<IntervalCover> windows)
      : context_(context),
        trace_(context.trace),
        windows_(std::move(windows)),
        hints_(windows_.size()),
        host_(trace_.strings.size()),
        device_(trace_.strings.size()) {}

  // One result per set of windows.
  std::vector<ActivityTimes> Sum() {
    AddHost();
    AddDevice();
    std::vector<ActivityTimes> times(windows_.size());
    for (const Named& named : named_) {
      for (size_t w = 0; w < windows_.size(); ++w) {
        const int64_t time = sums_[named.first_sum + w];
        if (time > 0 && !Hidden(named))
          AddTo(times[w][{named.kind, trace_.Text(named.name)}], time);
      }
    }
    return times;
  }

 private:
  struct Named {
    StringId name;
    ActivityKind kind;
    size_t first_sum;  // into sums_: one per set of windows
  };

  // Communication is what the others wait in, waiting for the device only shows what that does,
  // and a step is no activity.
  [[nodiscard]] bool Hidden(const Named& named) const {
    if (named.kind == ActivityKind::kKernel)
      return context_.facts.Is(named.name, NameFact::kCommunicationKernel);
    if (named.kind == ActivityKind::kRuntime && WaitsForDevice(trace_.Text(named.name)))
      return true;
    return context_.facts.Is(named.name, NameFact::kStep) ||
           context_.facts.Is(named.name, NameFact::kCommunicationRange) ||
           trace_.Text(named.name) == "record_param_comms";
  }

  // Self time: what an event covers is taken from its parent.
  void AddHost() {
    const HostTree& tree = context_.tree;
    for (const HostThread& thread : tree.threads) {
      CancelCheck cancel;
      for (NodeId node = thread.first; node < thread.last; ++node) {
        cancel.Tick();
        const SpanRow row = tree.span[node];
        const NodeId parent = tree.parent[node];
        for (size_t w = 0; w < windows_.size(); ++w) {
          const int64_t inside = Inside(row, w);
          if (inside == 0) continue;
          AddTo(SumOf(host_, row, w), inside);
          if (parent != kNoRow) SubtractFrom(SumOf(host_, tree.span[parent], w), inside);
        }
      }
    }
  }

  void AddDevice() {
    for (const SpanRow row : context_.links.device) {
      for (size_t w = 0; w < windows_.size(); ++w) {
        const int64_t inside = Inside(row, w);
        if (inside != 0) AddTo(SumOf(device_, row, w), inside);
      }
    }
  }

  [[nodiscard]] int64_t Inside(SpanRow row, size_t window) {
    return windows_[window].Within({trace_.spans.start_ns[row], trace_.spans.end_ns(row)},
                                   hints_[window]);
  }

  // `numbers`: by name, the place in named_ plus one.
  int64_t& SumOf(std::vector<uint32_t>& numbers, SpanRow row, size_t window) {
    uint32_t& number = numbers[static_cast<uint32_t>(trace_.spans.name[row])];
    if (number == 0) {
      named_.push_back({trace_.spans.name[row], KindOf(trace_.spans.category[row]), sums_.size()});
      sums_.resize(sums_.size() + windows_.size());
      number = static_cast<uint32_t>(named_.size());
    }
    return sums_[named_[number - 1].first_sum + window];
  }

  const TraceContext& context_;
  const Trace& trace_;
  std::vector<IntervalCover> windows_;
  std::vector<size_t> hints_;
  std::vector<uint32_t> host_;
  std::vector<uint32_t> device_;
  std::vector<Named> named_;
  std::vector<int64_t> sums_;
};

class Finder {
 public:
  Finder(std::span<const TraceContext> contexts, std::span<const std::vector<CollectiveCall>> calls,
         const CollectiveMatches& matches, const Alignment& alignment,
         const std::vector<bool>& selected)
      : contexts_(contexts),
        calls_(calls),
        matches_(matches),
        alignment_(alignment),
        selected_(selected) {}

  Stragglers Find() {
    SortEnds();
    rows_.resize(contexts_.size());
    for (size_t match = 0; match < matches_.size(); ++match) {
      if (selected_[match]) Add(matches_.Of(match));
    }
    SumWaiting();
    SumSteps();
    for (uint32_t file = 0; file < rows_.size(); ++file) {
      rows_[file].file = file;
      if (rows_[file].last > 0) result_.rows.push_back(std::move(rows_[file]));
    }
    std::stable_sort(
        result_.rows.begin(), result_.rows.end(),
        [](const StragglerRow& a, const StragglerRow& b) { return a.waited_ns > b.waited_ns; });
    Explain();
    return std::move(result_);
  }

 private:
  void SortEnds() {
    ends_.resize(calls_.size());
    for (size_t file = 0; file < calls_.size(); ++file) {
      for (const CollectiveCall& call : calls_[file]) {
        if (call.time) ends_[file].push_back(call.time->end_ns);
      }
      std::sort(ends_[file].begin(), ends_[file].end());
    }
  }

  void Add(std::span<const CollectiveMember> members) {
    const std::optional<Arrival> arrival = ArrivalOf(contexts_, calls_, alignment_, members);
    if (!arrival) return;
    if (!arrival->last_file) {
      ++result_.undecided;
      return;
    }
    ++result_.decided;
    const uint32_t last = *arrival->last_file;
    ++rows_[last].last;
    int64_t came = arrival->first_ns;
    AddTo(came, arrival->skew_ns);
    for (const CollectiveMember& member : members) {
      const CollectiveCall& call = calls_[member.file][member.call];
      const Interval before = Before(member.file, call.time->start_ns);
      if (before.start_ns < before.end_ns) windows_[{member.file, last}].push_back(before);
      if (member.file == last) continue;
      const int64_t start =
          alignment_.CommonTime(contexts_[member.file].trace, member.file, call.time->start_ns);
      waits_[{member.file, last}].push_back({start, came});
    }
    // The steps of the late rank stand for the steps of all.
    for (const CollectiveMember& member : members) {
      if (member.file != last) continue;
      const CollectiveCall& call = calls_[last][member.call];
      AddTo(step_waits_[StepOf(last, call.issued_ns)][last], arrival->skew_ns);
    }
  }

  // From the end of the file's last collective before that time; else from its first step's start.
  [[nodiscard]] Interval Before(uint32_t file, int64_t start_ns) const {
    const std::vector<int64_t>& ends = ends_[file];
    const auto after = std::upper_bound(ends.begin(), ends.end(), start_ns);
    if (after != ends.begin()) return {*(after - 1), start_ns};
    const std::vector<Step>& steps = contexts_[file].steps.rows;
    return steps.empty() ? Interval{} : Interval{steps.front().bounds.start_ns, start_ns};
  }

  // A name for the step that ranks have in common; empty outside of steps.
  [[nodiscard]] std::string_view StepOf(uint32_t file, int64_t time_ns) const {
    const TraceContext& context = contexts_[file];
    const std::vector<Step>& rows = context.steps.rows;
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), time_ns,
                         [](int64_t time, const Step& step) { return time < step.host.start_ns; });
    if (after == rows.begin() || (after - 1)->span == kNoRow) return {};
    return context.trace.NameOfSpan((after - 1)->span);
  }

  void SumWaiting() {
    for (auto& [pair, intervals] : waits_)
      AddTo(rows_[pair.last].waited_ns, TotalLength(Union(std::move(intervals))));
  }

  void SumSteps() {
    for (const auto& [name, waits] : step_waits_) {
      if (name.empty()) continue;
      ++result_.steps;
      const auto most =
          std::max_element(waits.begin(), waits.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      ++rows_[most->first].steps_last;
    }
  }

  void Explain() {
    const size_t count = std::min(result_.rows.size(), kMostExplained);
    // By explained rank: its own times, the sum of the others', and how many others.
    std::vector<ActivityTimes> own(count);
    std::vector<ActivityTimes> others(count);
    std::vector<int64_t> other_files(count);
    for (uint32_t file = 0; file < contexts_.size(); ++file) {
      std::vector<IntervalCover> windows;
      std::vector<size_t> of;  // which explained rank each set of windows belongs to
      for (size_t r = 0; r < count; ++r) {
        const auto at = windows_.find({file, result_.rows[r].file});
        if (at == windows_.end()) continue;
        windows.emplace_back(Union(std::move(at->second)));
        of.push_back(r);
      }
      if (windows.empty()) continue;
      std::vector<ActivityTimes> times = WindowSums(contexts_[file], std::move(windows)).Sum();
      for (size_t w = 0; w < of.size(); ++w) {
        if (result_.rows[of[w]].file == file) {
          own[of[w]] = std::move(times[w]);
          continue;
        }
        ++other_files[of[w]];
        for (const auto& [key, time] : times[w]) AddTo(others[of[w]][key], time);
      }
    }
    for (size_t r = 0; r < count; ++r)
      result_.rows[r].meanwhile = MoreThanOthers(own[r], others[r], other_files[r]);
  }

  static std::vector<Activity> MoreThanOthers(const ActivityTimes& own, const ActivityTimes& others,
                                              int64_t other_files) {
    std::vector<Activity> activities;
    for (const auto& [key, time] : own) {
      const auto other = others.find(key);
      const int64_t mean = other == others.end() ? 0 : Mean(other->second, other_files);
      if (time > mean) activities.push_back({std::string(key.second), key.first, time, mean});
    }
    std::stable_sort(
        activities.begin(), activities.end(), [](const Activity& a, const Activity& b) {
          return Difference(a.time_ns, a.others_ns) > Difference(b.time_ns, b.others_ns);
        });
    if (activities.size() > kMostActivities) activities.resize(kMostActivities);
    return activities;
  }

  std::span<const TraceContext> contexts_;
  std::span<const std::vector<CollectiveCall>> calls_;
  const CollectiveMatches& matches_;
  const Alignment& alignment_;
  const std::vector<bool>& selected_;
  std::vector<std::vector<int64_t>> ends_;         // by file: of its collectives, ascending
  std::vector<StragglerRow> rows_;                 // by file
  std::map<Pair, std::vector<Interval>> waits_;    // on the common clock
  std::map<Pair, std::vector<Interval>> windows_;  // on the file's own
  std::map<std::string_view, std::map<uint32_t, int64_t>> step_waits_;
  Stragglers result_;
};

}  // namespace

std::string_view NameOf(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kOperator:
      return "operator";
    case ActivityKind::kAnnotation:
      return "annotation";
    case ActivityKind::kRuntime:
      return "runtime";
    case ActivityKind::kKernel:
      return "kernel";
    case ActivityKind::kMemcpy:
      return "memcpy";
    case ActivityKind::kMemset:
      break;
  }
  return "memset";
}

std::optional<Arrival> ArrivalOf(std::span<const TraceContext> contexts,
                                 std::span<const std::vector<CollectiveCall>> calls,
                                 const Alignment& alignment,
                                 std::span<const CollectiveMember> members) {
  Arrival arrival;
  int64_t last_ns = INT64_MIN;
  int64_t error_ns = 0;
  bool known = true;
  arrival.first_ns = INT64_MAX;
  for (const CollectiveMember& member : members) {
    const CollectiveCall& call = calls[member.file][member.call];
    if (!call.time) return std::nullopt;
    const int64_t start =
        alignment.CommonTime(contexts[member.file].trace, member.file, call.time->start_ns);
    arrival.first_ns = std::min(arrival.first_ns, start);
    if (start > last_ns) {
      last_ns = start;
      arrival.last_file = member.file;
    }
    const FileAlignment& file = alignment.files[member.file];
    known &= file.error_ns.has_value();
    error_ns = std::max(error_ns, file.error_ns.value_or(0));
  }
  arrival.skew_ns = Difference(last_ns, arrival.first_ns);
  if (!known || arrival.skew_ns <= error_ns) arrival.last_file.reset();
  return arrival;
}

Stragglers FindStragglers(std::span<const TraceContext> contexts,
                          std::span<const std::vector<CollectiveCall>> calls,
                          const CollectiveMatches& matches, const Alignment& alignment,
                          const std::vector<bool>& selected) {
  return Finder(contexts, calls, matches, alignment, selected).Find();
}

}  // namespace telltale
