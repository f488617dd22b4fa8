// SPDX-License-Identifier: Apache-2.0
// One run on one axis of time: which series are drawn below each other, what happened when, how far
// a run that is under way has come, and the sentence on top. What the run's page shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/run_list.h"
#include "runs/run_record.h"
#include "views/render/terminal.h"
#include "views/runs/hardware.h"

namespace telltale {

inline constexpr std::string_view kStepTimeTag = "telltale/step_time_s";
inline constexpr std::string_view kDataWaitTag = "telltale/data_wait_s";

// How far a run is that is under way.
struct RunProgress {
  int64_t steps = 0;
  std::optional<double> steps_per_second;  // lately
  // Only where something says where the end is.
  std::optional<int64_t> total_steps;
  std::optional<double> share;
  std::optional<int64_t> left_ns;
  std::optional<int64_t> last_ns;  // when the last step ended
};
// By the steps that telltale run saw, else by the metric that came farthest. None: no step is
// known.
[[nodiscard]] std::optional<RunProgress> ProgressOf(const RunInfo& run, const RunRecord& record,
                                                    const RunSeries& series);

struct StoryLane {
  enum class Kind : uint8_t { kValues, kRate };
  std::string key;  // "loss", "step_time", "throughput", "busy", "memory"
  std::string title;
  std::string unit;  // of the values as they are drawn
  double divisor = 1;
  Kind kind = Kind::kValues;
  std::vector<HardwareChart::Line> lines;
};

struct StoryEvent {
  enum class Kind : uint8_t { kStart, kRestart, kError, kEnd };
  Kind kind = Kind::kStart;
  int64_t at_ns = 0;
  std::string text;
};
[[nodiscard]] std::string_view NameOf(StoryEvent::Kind kind);

struct RunStory {
  std::string sentence;
  std::optional<int64_t> from_ns, to_ns;
  std::vector<StoryLane> lanes;
  std::vector<StoryEvent> events;  // in the order of time
};
// `logged_until_ns`: the last line of its log, if that has times.
[[nodiscard]] RunStory StoryOf(const ListedRun& run, const RunRecord& record,
                               const RunSeries& series, std::optional<int64_t> logged_until_ns,
                               const OutputStyle& style);

// "Ran 3 min 12 s, 1,200 steps, 42.1 ms a step, 31 % of it waiting for data; CPU 87 % busy."
[[nodiscard]] std::string RunSentence(const ListedRun& run, const RunRecord& record,
                                      const RunSeries& series, const Hardware& hardware,
                                      const OutputStyle& style);

}  // namespace telltale
