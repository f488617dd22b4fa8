// SPDX-License-Identifier: Apache-2.0
// The rule about steps that pass in the program's own code, outside any traced operator: host_code.
// Where the capture has Python frames it says which function that is.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "analysis/core/intervals.h"
#include "analysis/core/python_tree.h"
#include "analysis/core/sums.h"
#include "base/frame_name.h"
#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kHostCodeShare = 0.20;
constexpr double kHostCodeHighShare = 0.40;
// A function is named if at least this share of the time passes below it.
constexpr double kMostOfIt = 0.5;

// The moments of the complete steps that belong to StepCategory::kOther (steps.cpp).
IntervalSet OutsideOperators(const RankFacts& context) {
  const SpanTable& spans = context.trace.spans;
  std::vector<Interval> covered;
  for (const HostThread& thread : context.tree.threads) {
    UnionBuilder builder(covered);
    for (NodeId node = thread.first; node < thread.last; ++node) {
      const SpanRow row = context.tree.span[node];
      if (context.facts.Is(spans.name[row], NameFact::kStep)) continue;
      builder.Add(spans.start_ns[row], spans.end_ns(row));
    }
  }
  for (const SpanRow row : context.links.device) {
    covered.push_back({spans.start_ns[row], spans.end_ns(row)});
  }
  IntervalSet steps;
  for (const StepWindow& step : context.steps) steps.push_back({step.start_ns, step.end_ns});
  return Subtraction(Union(std::move(steps)), Union(std::move(covered)));
}

// How much of an interval lies in a set, by sums made once.
class Overlap {
 public:
  explicit Overlap(const IntervalSet& set) : set_(set), before_(set.size() + 1) {
    for (size_t i = 0; i < set.size(); ++i) {
      before_[i + 1] = before_[i];
      AddTo(before_[i + 1], Difference(set[i].end_ns, set[i].start_ns));
    }
  }
  [[nodiscard]] int64_t Of(int64_t start_ns, int64_t end_ns) const {
    return std::max<int64_t>(0, Difference(Until(end_ns), Until(start_ns)));
  }
  [[nodiscard]] int64_t Total() const { return before_.back(); }

 private:
  [[nodiscard]] int64_t Until(int64_t time_ns) const {
    const auto next = std::partition_point(set_.begin(), set_.end(),
                                           [&](const Interval& i) { return i.end_ns <= time_ns; });
    int64_t length = before_[static_cast<size_t>(next - set_.begin())];
    if (next != set_.end() && next->start_ns < time_ns) {
      AddTo(length, Difference(time_ns, next->start_ns));
    }
    return length;
  }

  const IntervalSet& set_;
  std::vector<int64_t> before_;  // the length of all intervals before each
};

// The thread that runs the steps: of most complete ones.
std::optional<TrackId> ThreadOfSteps(const RankFacts& context) {
  std::unordered_map<uint32_t, size_t> steps;  // by track: a handful
  for (const SpanRow row : context.tree.span) {
    const SpanTable& spans = context.trace.spans;
    if (!context.facts.Is(spans.name[row], NameFact::kStep)) continue;
    if (context.StepAt(spans.start_ns[row]) != RankFacts::kNoStep) {
      ++steps[static_cast<uint32_t>(spans.track[row])];
    }
  }
  const auto most = std::ranges::max_element(steps, {}, [](const auto& s) { return s.second; });
  if (most == steps.end()) return std::nullopt;
  return TrackId{most->first};
}

struct Culprit {
  StringId name = kNoString;
  int64_t time_ns = 0;
  SpanRow longest = kNoRow;
};

// Follows the calls down from the thread's first frames for as long as one function, over all its
// calls from the one above, has most of the time.
class Descent {
 public:
  Descent(const Trace& trace, const PythonTree& tree, const HostThread& thread,
          const Overlap& overlap)
      : trace_(trace), tree_(tree), thread_(thread), overlap_(overlap) {}

  [[nodiscard]] Culprit Find() const {
    Culprit found;
    std::vector<NodeId> calls = Below(kNoRow);
    while (!calls.empty()) {
      auto [heaviest, its_calls] = Heaviest(calls);
      if (static_cast<double>(heaviest.time_ns) <
          kMostOfIt * static_cast<double>(overlap_.Total())) {
        break;
      }
      found = heaviest;
      calls.clear();
      for (const NodeId call : its_calls) std::ranges::copy(Below(call), std::back_inserter(calls));
    }
    return found;
  }

 private:
  [[nodiscard]] int64_t Start(NodeId node) const { return trace_.spans.start_ns[tree_.span[node]]; }
  [[nodiscard]] int64_t End(NodeId node) const { return trace_.spans.end_ns(tree_.span[node]); }

  // The calls right below a frame (kNoRow: the thread's first ones), jumping over what they call.
  [[nodiscard]] std::vector<NodeId> Below(NodeId parent) const {
    std::vector<NodeId> calls;
    const bool top = parent == kNoRow;
    for (NodeId node = top ? thread_.first : parent + 1;
         node < thread_.last && (top || Start(node) < End(parent));) {
      if (tree_.parent[node] == parent) calls.push_back(node);
      const auto begin = tree_.span.begin();
      const auto next =
          std::partition_point(begin + node + 1, begin + thread_.last,
                               [&](SpanRow row) { return trace_.spans.start_ns[row] < End(node); });
      node = static_cast<NodeId>(next - begin);
    }
    return calls;
  }

  [[nodiscard]] std::pair<Culprit, std::vector<NodeId>> Heaviest(
      const std::vector<NodeId>& calls) const {
    std::unordered_map<uint32_t, Culprit> by_name;
    std::unordered_map<uint32_t, int64_t> longest;
    for (const NodeId call : calls) {
      const SpanRow row = tree_.span[call];
      const auto name = static_cast<uint32_t>(trace_.spans.name[row]);
      const int64_t time = overlap_.Of(Start(call), End(call));
      Culprit& culprit = by_name[name];
      culprit.name = trace_.spans.name[row];
      AddTo(culprit.time_ns, time);
      int64_t& most = longest[name];
      if (culprit.longest == kNoRow || time > most) {
        culprit.longest = row;
        most = time;
      }
    }
    Culprit heaviest;
    for (const auto& [name, culprit] : by_name) {
      // The first in the file where two are the same.
      if (heaviest.longest == kNoRow || culprit.time_ns > heaviest.time_ns ||
          (culprit.time_ns == heaviest.time_ns && culprit.longest < heaviest.longest)) {
        heaviest = culprit;
      }
    }
    std::vector<NodeId> its_calls;
    for (const NodeId call : calls) {
      if (trace_.spans.name[tree_.span[call]] == heaviest.name) its_calls.push_back(call);
    }
    return {heaviest, std::move(its_calls)};
  }

  const Trace& trace_;
  const PythonTree& tree_;
  const HostThread& thread_;
  const Overlap& overlap_;
};

Culprit FindCulprit(const RankFacts& context, const PythonTree& python) {
  const std::optional<TrackId> track = ThreadOfSteps(context);
  if (!track) return {};
  const auto thread = std::ranges::find(python.threads, *track, &HostThread::track);
  if (thread == python.threads.end()) return {};
  const IntervalSet outside = OutsideOperators(context);
  const Overlap overlap(outside);
  if (overlap.Total() == 0) return {};
  return Descent(context.trace, python, *thread, overlap).Find();
}

// "_preprocess_image (image_processing.py:233)"
std::string FunctionWords(std::string_view frame_text) {
  const FrameName frame = SplitFrameName(frame_text);
  const std::string place = PlaceOf(frame);
  return place.empty() ? ShortName(frame.name)
                       : fmt::format("{} ({})", ShortName(frame.name), place);
}

std::optional<Recommendation> FindHostCode(const RankFacts& context) {
  const double share = context.ShareOfStep(StepCategory::kOther);
  if (context.whole_trace || share <= kHostCodeShare) return std::nullopt;
  const auto average = static_cast<int64_t>(context.Average(StepCategory::kOther));
  const PythonTree python = BuildPythonTree(context.trace);
  const Culprit culprit = FindCulprit(context, python);

  std::string finding = fmt::format(
      "{} of an average step passes in code outside any traced operator{}: {} of {}.", Share(share),
      context.has_device_events() ? " while nothing runs on the device" : "", Duration(average),
      Duration(context.report.steps.average_ns));
  std::string remedy =
      "Capture with with_stack=True to see which Python function it is; what prepares data "
      "belongs into the DataLoader's workers, what reports or saves should not run in every step.";
  if (culprit.name != kNoString) {
    const double part = static_cast<double>(culprit.time_ns) /
                        (static_cast<double>(average) * static_cast<double>(context.steps.size()));
    finding.pop_back();
    finding += fmt::format(", {} of it in {}.", Share(std::min(1.0, part)),
                           FunctionWords(context.trace.Text(culprit.name)));
    remedy =
        "Make that function faster or call it less often; if it prepares data, let the "
        "DataLoader's workers do it. The functions view shows what it calls.";
  } else if (python.size() > 0) {
    remedy = "No single Python function has most of it: the functions view shows how it is spread.";
  }
  Recommendation made =
      Make(share > kHostCodeHighShare ? AdviceSeverity::kHigh : AdviceSeverity::kMedium, finding,
           remedy);
  AddEvidence(made, "other_ns", average);
  AddEvidence(made, "step_ns", context.report.steps.average_ns);
  AddEvidence(made, "other_share", share);
  if (culprit.name != kNoString) {
    AddEvidence(made, "function", std::string(context.trace.Text(culprit.name)));
    AddEvidence(made, "function_ns", culprit.time_ns / static_cast<int64_t>(context.steps.size()));
  }
  AddWorstStep(made, WorstStep(context, StepCategory::kOther));
  if (culprit.longest != kNoRow) AddExample(made, context.trace, culprit.longest);
  return made;
}

}  // namespace

Rule HostCode() {
  return {.id = "host_code",
          .title = "code outside operators",
          .needs = "steps",
          .threshold =
              "time outside any operator, runtime call and device event > 20 % of the average step "
              "(high: > 40 %)",
          .reason = "Python between operators commonly takes a tenth",
          .views = {"overview", "functions"},
          .of_rank = FindHostCode};
}

}  // namespace telltale::health
