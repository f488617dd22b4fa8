// SPDX-License-Identifier: Apache-2.0
// Training steps: where each begins and ends (its device work included), whether it is complete,
// and how its time divides into exclusive categories.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/intervals.h"
#include "analysis/core/name_facts.h"
#include "analysis/core/options.h"
#include "analysis/core/step_rows.h"
#include "base/diagnostics.h"
#include "model/trace.h"

namespace telltale {

// The digits of ProfilerStep#N; empty for any other name.
[[nodiscard]] std::string_view ProfilerStepNumber(std::string_view name);

struct Step {
  SpanRow span = kNoRow;       // its host event; kNoRow where the whole trace is one step
  Interval host;               // as captured
  Interval bounds;             // after the previous step, until its device work is done
  uint64_t device_events = 0;  // launched inside it
  bool complete = true;
  bool selected = true;  // by AnalysisOptions::first_step and last_step
};

struct Steps {
  StepSource source = StepSource::kWholeTrace;
  std::vector<Step> rows;  // in time order; their bounds do not overlap

  // From the first selected step's start to the last one's end; empty without any.
  [[nodiscard]] Interval Window() const;
};

// As the report calls a step: the number of a ProfilerStep, else the annotation's name.
[[nodiscard]] std::string StepName(const Trace& trace, const Steps& steps, const Step& step);

// Which events the tables count: all, or those that start (or are launched) in the selected steps
// and inside the ranges asked for.
class Selection {
 public:
  Selection() = default;
  explicit Selection(const Steps& steps);
  // Only moments in `inside` as well.
  Selection(const Steps& steps, const IntervalSet& inside);

  [[nodiscard]] bool Everything() const { return everything_; }
  [[nodiscard]] bool Nothing() const { return !everything_ && host_.empty(); }
  // A host event that starts then.
  [[nodiscard]] bool HasHostTime(int64_t time_ns) const {
    return everything_ || Contains(host_, time_ns);
  }
  // Device event `i` of `links`.
  [[nodiscard]] bool HasDeviceEvent(const Trace& trace, const HostTree& tree,
                                    const DeviceLinks& links, size_t i) const {
    if (everything_) return true;
    const NodeId launch = links.launch[i];
    return launch != kNoRow && Contains(host_, trace.spans.start_ns[tree.span[launch]]);
  }

 private:
  bool everything_ = true;
  IntervalSet host_;
};

// Adds kNoSteps and kIncompleteStep to `diagnostics`.
[[nodiscard]] Steps FindSteps(const Trace& trace, const HostTree& tree, const DeviceLinks& links,
                              const NameFacts& facts, const AnalysisOptions& options,
                              Diagnostics& diagnostics);

// When a step was in StepCategory::kOther.
struct OtherTime {
  const Step* step;  // lives as long as the steps
  IntervalSet stretches;
};

// The rows of the selected steps. `other`, where given, gets an entry for each that is complete.
[[nodiscard]] StepReport DescribeSteps(const Trace& trace, const HostTree& tree,
                                       const DeviceLinks& links, const NameFacts& facts,
                                       const Steps& steps, std::vector<OtherTime>* other = nullptr);

// Sets the averages from the rows: over complete steps, rounded to the nearest.
void SetAverages(StepReport& report);

}  // namespace telltale
