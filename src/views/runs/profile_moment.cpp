// SPDX-License-Identifier: Apache-2.0
#include "views/runs/profile_moment.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "analysis/functions/time_cut.h"
#include "views/params.h"
#include "views/render/units.h"
#include "views/runs/runs_table.h"

namespace telltale {

namespace {

// Of steps that are only near, as many as one looks at together.
constexpr int64_t kMostNear = 10;
constexpr int64_t kSecond = 1'000'000'000;

void Widen(std::optional<Interval>& all, Interval more) {
  all = all ? Interval{std::min(all->start_ns, more.start_ns), std::max(all->end_ns, more.end_ns)}
            : more;
}

bool Meet(Interval a, Interval b) { return a.start_ns < b.end_ns && b.start_ns < a.end_ns; }

// 0: it reaches into it.
int64_t AwayFrom(Interval asked, Interval step) {
  if (Meet(asked, step)) return 0;
  if (step.end_ns <= asked.start_ns) {
    return std::min<int64_t>(-1, Difference(step.end_ns, asked.start_ns));
  }
  return std::max<int64_t>(1, Difference(step.start_ns, asked.end_ns));
}

int64_t Distance(int64_t away) { return away < 0 ? -std::max(away, -INT64_MAX) : away; }

// The numbered steps of all ranks with their times since 1970.
std::map<int64_t, Interval> NumberedSteps(std::span<const TraceContext> traces) {
  std::map<int64_t, Interval> steps;
  for (const TraceContext& context : traces) {
    if (context.trace.base_time_ns == 0 || context.steps.source != StepSource::kProfilerStep) {
      continue;
    }
    for (const Step& step : context.steps.rows) {
      const std::optional<int64_t> number =
          ParseInteger(StepName(context.trace, context.steps, step));
      if (!number) continue;
      Interval time = step.bounds;
      AddTo(time.start_ns, context.trace.base_time_ns);
      AddTo(time.end_ns, context.trace.base_time_ns);
      const auto [at, is_new] = steps.try_emplace(*number, time);
      if (!is_new) {
        at->second = {std::min(at->second.start_ns, time.start_ns),
                      std::max(at->second.end_ns, time.end_ns)};
      }
    }
  }
  return steps;
}

std::string StepsText(int64_t first, int64_t last) {
  if (first == last) return fmt::format("Step {}", FormatCount(first));
  return fmt::format("Steps {} to {}", FormatCount(first), FormatCount(last));
}

std::optional<ProfileMoment::Steps> StepsAt(const std::map<int64_t, Interval>& steps,
                                            Interval asked) {
  if (steps.empty()) return std::nullopt;
  ProfileMoment::Steps out;
  const auto nearest = std::ranges::min_element(
      steps, {}, [&](const auto& step) { return Distance(AwayFrom(asked, step.second)); });
  out.first = out.last = nearest->first;
  out.away_ns = AwayFrom(asked, nearest->second);
  for (auto at = std::next(nearest); at != steps.end(); ++at) {
    const bool inside = Meet(asked, at->second);
    if (out.away_ns == 0 ? !inside
                         : at->first != out.last + 1 || out.last - out.first + 1 >= kMostNear) {
      break;
    }
    out.last = at->first;
  }
  for (auto at = std::make_reverse_iterator(nearest); at != steps.rend(); ++at) {
    const bool inside = Meet(asked, at->second);
    if (out.away_ns == 0 ? !inside
                         : at->first != out.first - 1 || out.last - out.first + 1 >= kMostNear) {
      break;
    }
    out.first = at->first;
  }
  const std::string named = StepsText(out.first, out.last);
  const bool one = out.first == out.last;
  out.sentence = out.away_ns == 0
                     ? fmt::format("{} {} of this time.", named, one ? "is" : "are")
                     : fmt::format("Nothing was captured in this time; nearest {}: {}, {} {}.",
                                   one ? "is" : "are", named, FormatDuration(Distance(out.away_ns)),
                                   out.away_ns < 0 ? "before" : "after");
  return out;
}

std::string Rfc3339(int64_t ns) {
  std::string text = MomentText(ns);
  std::ranges::replace(text, ' ', 'T');
  return fmt::format("{}.{:09}Z", text, ((ns % kSecond) + kSecond) % kSecond);
}

}  // namespace

ProfileMoment MomentOf(const Subject& subject, std::span<const TraceContext> traces,
                       Interval asked) {
  ProfileMoment out;
  bool has_functions = false;
  for (const FunctionProfile* profile : subject.Each<FunctionProfile>()) {
    const std::optional<Interval> recorded = RecordedTime(*profile);
    if (!recorded || profile->start_ns == kNoInt) continue;
    Interval time = *recorded;
    AddTo(time.start_ns, profile->start_ns);
    AddTo(time.end_ns, profile->start_ns);
    Widen(out.recorded, time);
    has_functions |= Meet(asked, time);
  }
  bool has_operators = false;
  for (const TraceContext& context : traces) {
    const SpanTable& spans = context.trace.spans;
    if (context.trace.base_time_ns == 0 || spans.size() == 0) continue;
    has_operators |= std::ranges::find(spans.category, Category::kOperator) != spans.category.end();
    std::optional<Interval> time;
    for (size_t row = 0; row < spans.size(); ++row) {
      Widen(time, {spans.start_ns[row], spans.end_ns(row)});
    }
    AddTo(time->start_ns, context.trace.base_time_ns);
    AddTo(time->end_ns, context.trace.base_time_ns);
    Widen(out.recorded, *time);
  }
  if (has_functions) {
    out.between = fmt::format("{}..{}", Rfc3339(asked.start_ns), Rfc3339(asked.end_ns));
  }
  out.steps = StepsAt(NumberedSteps(traces), asked);
  if (out.steps) out.steps->view = has_operators ? "operators" : "simple";
  // Where all that ran is there, what is only near says nothing.
  if (out.steps && !has_operators && out.steps->away_ns != 0) out.steps.reset();
  return out;
}

}  // namespace telltale
