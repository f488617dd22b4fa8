// SPDX-License-Identifier: Apache-2.0
#include "views/runs/run_story.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runs/held_run.h"
#include "views/render/display.h"
#include "views/render/units.h"
#include "views/runs/runs_table.h"

namespace telltale {

namespace {

constexpr size_t kMostLines = 4;  // of a lane: more would hide each other
constexpr size_t kMostRestarts = 100;
constexpr size_t kMessageWidth = 120;

bool IsOwnSeries(std::string_view tag) {
  return !tag.starts_with("telltale/") && !tag.starts_with("monitor/") &&
         !tag.starts_with("system/") && tag.find("/monitor/") == std::string_view::npos;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool HasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Of what the program logged: the most telling first.
std::vector<const TagSeries*> OwnSeries(const RunSeries& series) {
  std::vector<const TagSeries*> own;
  for (const TagSeries& tag : series.tags) {
    if (tag.plugin == "scalars" && IsOwnSeries(tag.tag) && tag.points() > 0) own.push_back(&tag);
  }
  const auto score = [](const TagSeries* tag) {
    const std::string name = Lower(tag->tag);
    return (name.find("loss") != std::string::npos ? 2 : 0) +
           (HasAny(name, {"acc", "f1", "auc", "reward", "return", "perplexity"}) ? 1 : 0);
  };
  std::ranges::stable_sort(own, [&](const TagSeries* a, const TagSeries* b) {
    if (score(a) != score(b)) return score(a) > score(b);
    return a->points() > b->points();
  });
  return own;
}

StoryLane LaneOf(std::string key, std::string title, const std::vector<const TagSeries*>& series) {
  StoryLane lane;
  lane.key = std::move(key);
  lane.title = std::move(title);
  for (const TagSeries* const tag : series) {
    if (lane.lines.size() == kMostLines) break;
    lane.lines.push_back({tag->tag, tag->tag});
  }
  return lane;
}

// What the page sees of a lane's unit where its values are logged in seconds.
void ScaleSeconds(StoryLane& lane, double largest) {
  lane.unit = largest >= 1 ? "s" : largest >= 1e-3 ? "ms" : "µs";
  lane.divisor = largest >= 1 ? 1 : largest >= 1e-3 ? 1e-3 : 1e-6;
}

// The series whose steps say how far the run is.
const TagSeries* StepSeries(const RunSeries& series) {
  if (const TagSeries* const own = series.Find(kStepTimeTag, "scalars")) return own;
  const TagSeries* farthest = nullptr;
  int64_t most = std::numeric_limits<int64_t>::min();
  for (const TagSeries& tag : series.tags) {
    if (tag.plugin != "scalars" || !IsOwnSeries(tag.tag) || tag.points() == 0) continue;
    const int64_t last = tag.pieces.back().tag->scalars.empty()
                             ? std::numeric_limits<int64_t>::min()
                             : tag.pieces.back().tag->scalars.back().step;
    if (farthest == nullptr || last > most) {
      farthest = &tag;
      most = last;
    }
  }
  return farthest;
}

std::optional<double> NumberIn(const RunInfo& run, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : run.config) {
    const size_t dot = name.rfind('.');
    const std::string leaf = Lower(dot == std::string::npos ? name : name.substr(dot + 1));
    if (std::ranges::find(names, std::string_view(leaf)) == names.end()) continue;
    if (const auto* const whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* const real = std::get_if<double>(&value)) return *real;
  }
  return std::nullopt;
}

// Of epochs: by a curve that says which one it is in. A whole number of them counts what is done; a
// fraction says it exactly.
std::optional<double> EpochShare(const RunInfo& run, const RunSeries& series) {
  const std::optional<double> epochs =
      NumberIn(run, {"epochs", "num_epochs", "max_epochs", "num_train_epochs"});
  if (!epochs || !(*epochs > 0)) return std::nullopt;
  for (const std::string_view tag : {"epoch", "train/epoch"}) {
    const TagSeries* const found = series.Find(tag, "scalars");
    if (found == nullptr || found->points() == 0) continue;
    const double last = found->pieces.back().tag->scalars.back().value;
    if (last >= 0 && last <= *epochs) return last / *epochs;
  }
  return std::nullopt;
}

std::string Ending(const RunRecord& record) {
  if (record.signal) return fmt::format("ended by signal {}", *record.signal);
  if (record.exit_code && *record.exit_code != 0) {
    return fmt::format("exit code {}", *record.exit_code);
  }
  return "";
}

std::string ErrorText(const RunFailure& error, const OutputStyle& style) {
  std::string text = error.type;
  if (!error.message.empty()) text += fmt::format("{}{}", text.empty() ? "" : ": ", error.message);
  return ShortenMiddle(Printable(text, style.unicode), kMessageWidth, style.unicode);
}

}  // namespace

std::string_view NameOf(StoryEvent::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"start", "restart", "error", "end"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<RunProgress> ProgressOf(const RunInfo& run, const RunRecord& record,
                                      const RunSeries& series) {
  const TagSeries* const steps = StepSeries(series);
  if (steps == nullptr) return std::nullopt;
  const JoinedScalars points = JoinedOf(*steps);
  if (points.empty()) return std::nullopt;
  const ScalarPoint last = points[points.size() - 1];
  RunProgress out;
  out.steps = last.step < std::numeric_limits<int64_t>::max() ? last.step + 1 : last.step;
  out.steps_per_second = RateNow(points);
  out.last_ns = ToNanoseconds(last.wall_time);
  out.total_steps = record.total_steps;
  if (!out.total_steps) {
    const std::optional<double> most =
        NumberIn(run, {"max_steps", "total_steps", "num_steps", "max_iters", "train_steps"});
    if (most && *most > 0 && *most < 1e15) out.total_steps = static_cast<int64_t>(*most);
  }
  if (out.total_steps && (*out.total_steps <= 0 || out.steps > *out.total_steps)) {
    out.total_steps.reset();  // it goes on beyond what was said: nobody knows the end
  }
  if (out.total_steps) {
    out.share = static_cast<double>(out.steps) / static_cast<double>(*out.total_steps);
    if (out.steps_per_second) {
      const double left = static_cast<double>(*out.total_steps - out.steps) / *out.steps_per_second;
      out.left_ns = ToNanoseconds(left);
    }
    return out;
  }
  out.share = EpochShare(run, series);
  if (out.share && *out.share > 0 && run.start_ns && out.last_ns && *out.last_ns > *run.start_ns) {
    const auto took = static_cast<double>(*out.last_ns - *run.start_ns);
    out.left_ns = ToNanoseconds(took * (1 - *out.share) / *out.share / 1e9);
  }
  return out;
}

std::string RunSentence(const ListedRun& run, const RunRecord& record, const RunSeries& series,
                        const Hardware& hardware, const OutputStyle& style) {
  const RunInfo& info = run.info;
  std::string out;
  const bool running = info.status == RunStatus::kRunning;
  const std::string took = run.duration_ns ? LongDuration(*run.duration_ns, style) : std::string();
  switch (info.status.value_or(RunStatus::kCompleted)) {
    case RunStatus::kQueued:
      return "Queued: it has not begun.";
    case RunStatus::kRunning:
      out = took.empty() ? "Running" : fmt::format("Running for {}", took);
      break;
    case RunStatus::kFailed:
      out = took.empty() ? "Failed" : fmt::format("Failed after {}", took);
      if (const std::string how = Ending(record); !how.empty()) out += fmt::format(" ({})", how);
      break;
    case RunStatus::kCanceled:
      out = took.empty() ? "Canceled" : fmt::format("Canceled after {}", took);
      break;
    case RunStatus::kLost:
      out = took.empty() ? "Its process vanished"
                         : fmt::format("Its process vanished after {}", took);
      break;
    case RunStatus::kCompleted:
      out = took.empty() ? "Recorded" : fmt::format("Ran {}", took);
      break;
  }
  const TagSeries* const step_times = series.Find(kStepTimeTag, "scalars");
  std::optional<int64_t> steps = record.steps;
  if (step_times != nullptr) {
    const SeriesSummary times = Summarize(JoinedOf(*step_times));
    if (!steps || running) steps = static_cast<int64_t>(times.count);
    const std::optional<RunProgress> progress =
        running ? ProgressOf(info, record, series) : std::nullopt;
    out += progress && progress->total_steps
               ? fmt::format(", {} of {} steps", FormatCount(*steps),
                             FormatCount(*progress->total_steps))
               : fmt::format(", {} {}{}", FormatCount(*steps), *steps == 1 ? "step" : "steps",
                             running ? " so far" : "");
    if (times.count > 0) {
      out += fmt::format(", {} a step",
                         FormatDuration(std::llround(times.mean() * 1e9), style.unicode));
      if (const TagSeries* const waits = series.Find(kDataWaitTag, "scalars")) {
        const SeriesSummary waited = Summarize(JoinedOf(*waits));
        if (waited.count > 0 && times.sum > 0) {
          out += fmt::format(", {} of it waiting for data",
                             FormatShare(std::min(1.0, waited.sum / times.sum), 0));
        }
      }
    }
  } else if (steps) {
    out += fmt::format(", {} {}", FormatCount(*steps), *steps == 1 ? "step" : "steps");
  }
  if (hardware.cpu_percent) {
    out += fmt::format("; CPU {} busy", FormatShare(*hardware.cpu_percent / 100, 0));
  }
  if (!hardware.gpu_percent.empty()) {
    double sum = 0;
    for (const auto& [device, percent] : hardware.gpu_percent) sum += percent;
    const size_t count = hardware.gpu_percent.size();
    out += fmt::format("{} {} {}", hardware.cpu_percent ? "," : ";",
                       count == 1 ? std::string("GPU") : fmt::format("{} GPUs", count),
                       FormatShare(sum / static_cast<double>(count) / 100, 0));
  }
  const std::vector<const TagSeries*> own = OwnSeries(series);
  if (step_times == nullptr && !own.empty()) {
    const ScalarPoint last = own[0]->pieces.back().tag->scalars.back();
    out += fmt::format("; {} was {} at step {}",
                       ShortenMiddle(Printable(own[0]->tag, style.unicode), 60, style.unicode),
                       ValueText(FieldValue(last.value), style), FormatCount(last.step));
  }
  out += ".";
  if (const std::optional<RunFailure> error = FailureOf(record)) {
    out += fmt::format(" {}", ErrorText(*error, style));
  }
  if (own.empty() && step_times == nullptr) out += " It has logged no numbers.";
  return out;
}

RunStory StoryOf(const ListedRun& run, const RunRecord& record, const RunSeries& series,
                 std::optional<int64_t> logged_until_ns, const OutputStyle& style) {
  RunStory story;
  const RunInfo& info = run.info;
  const Hardware hardware = HardwareOf(series);
  story.sentence = RunSentence(run, record, series, hardware, style);

  const std::vector<const TagSeries*> own = OwnSeries(series);
  std::vector<const TagSeries*> losses;
  const TagSeries* other = nullptr;
  for (const TagSeries* const tag : own) {
    if (Lower(tag->tag).find("loss") != std::string::npos) {
      losses.push_back(tag);
    } else if (other == nullptr) {
      other = tag;
    }
  }
  if (!losses.empty()) {
    story.lanes.push_back(LaneOf("loss", losses.size() == 1 ? losses[0]->tag : "Loss", losses));
  }
  if (other != nullptr) story.lanes.push_back(LaneOf("metric", other->tag, {other}));
  const TagSeries* const step_times = series.Find(kStepTimeTag, "scalars");
  if (step_times != nullptr) {
    StoryLane lane;
    lane.key = "step_time";
    lane.title = "Step time";
    lane.lines.push_back({std::string(kStepTimeTag), "A step"});
    if (series.Find(kDataWaitTag, "scalars") != nullptr) {
      lane.lines.push_back({std::string(kDataWaitTag), "of it waiting for data"});
    }
    ScaleSeconds(lane, Summarize(JoinedOf(*step_times)).max);
    story.lanes.push_back(std::move(lane));
  }
  const TagSeries* const steps = StepSeries(series);
  if (steps != nullptr && steps->points() > 1) {
    StoryLane lane;
    lane.key = "throughput";
    lane.title = "Throughput";
    lane.unit = "steps/s";
    lane.kind = StoryLane::Kind::kRate;
    lane.lines.push_back({steps->tag, "Steps a second"});
    story.lanes.push_back(std::move(lane));
  }
  StoryLane busy;
  busy.key = "busy";
  busy.title = "Busy";
  busy.unit = "%";
  StoryLane memory;
  memory.key = "memory";
  memory.title = "Memory";
  for (const HardwareChart& chart : hardware.charts) {
    if (chart.title.starts_with("CPU cores")) continue;
    for (const HardwareChart::Line& line : chart.lines) {
      const std::optional<HardwareTag> what = ParseHardwareTag(line.tag);
      if (!what) continue;
      std::string label = what->device;
      if (!what->metric.empty()) label += fmt::format(", {}", Lower(what->metric));
      const std::string name = Lower(line.tag);
      if (what->unit == HardwareUnit::kPercent && busy.lines.size() < kMostLines &&
          (what->device.starts_with("CPU") || what->device.starts_with("GPU")) &&
          !HasAny(name, {"memory", "fan", "throttl", "iowait", "steal"})) {
        busy.lines.push_back({line.tag, label});
      }
      if (what->unit == HardwareUnit::kBytes && memory.lines.size() < kMostLines &&
          HasAny(name, {"used", "rss", "allocated"}) && !HasAny(name, {"swap", "disk", "unused"})) {
        memory.lines.push_back({line.tag, label});
      }
    }
  }
  if (!busy.lines.empty()) story.lanes.push_back(std::move(busy));
  if (!memory.lines.empty()) {
    double largest = 0;
    for (const HardwareChart::Line& line : memory.lines) {
      const TagSeries* const tag = series.Find(line.tag, "scalars");
      if (tag != nullptr) largest = std::max(largest, Summarize(JoinedOf(*tag)).max);
    }
    const HardwareScale scale = ScaleOf(HardwareUnit::kBytes, largest);
    memory.unit = scale.unit;
    memory.divisor = scale.divisor;
    story.lanes.push_back(std::move(memory));
  }

  // From the first thing known to the last. Of our own runs the start is known: what a clock says
  // that was set meanwhile does not stretch the picture.
  std::optional<int64_t> first = info.start_ns;
  std::optional<int64_t> last = info.end_ns;
  const bool start_counts = info.kind == RunKind::kTelltale && info.start_ns;
  const auto stretch = [&](std::optional<int64_t> at) {
    if (!at || (start_counts && *at < *info.start_ns)) return;
    first = first ? std::min(*first, *at) : *at;
    last = last ? std::max(*last, *at) : *at;
  };
  if (series.first_wall_time) stretch(ToNanoseconds(*series.first_wall_time));
  if (series.last_wall_time) stretch(ToNanoseconds(*series.last_wall_time));
  stretch(logged_until_ns);
  story.from_ns = first;
  story.to_ns = last;

  if (info.start_ns) story.events.push_back({StoryEvent::Kind::kStart, *info.start_ns, "Started"});
  if (steps != nullptr) {
    const JoinedScalars points = JoinedOf(*steps);
    const std::vector<Segment>& segments = points.segments();
    for (size_t i = 1; i < segments.size() && i <= kMostRestarts; ++i) {
      const ScalarPoint begin = points[segments[i].begin];
      if (const std::optional<int64_t> at = ToNanoseconds(begin.wall_time)) {
        story.events.push_back({StoryEvent::Kind::kRestart, *at,
                                fmt::format("Began again at step {}", FormatCount(begin.step))});
      }
    }
  }
  const std::optional<int64_t> end = info.end_ns ? info.end_ns : last;
  if (const std::optional<RunFailure> error = FailureOf(record); error && end) {
    story.events.push_back({StoryEvent::Kind::kError, *end, ErrorText(*error, style)});
  }
  if (info.status && info.status != RunStatus::kRunning && info.status != RunStatus::kQueued &&
      end) {
    std::string text(NameOf(*info.status));
    if (const std::string how = Ending(record); !how.empty()) text += fmt::format(", {}", how);
    story.events.push_back({StoryEvent::Kind::kEnd, *end, std::move(text)});
  }
  std::ranges::stable_sort(story.events, {}, &StoryEvent::at_ns);
  return story;
}

}  // namespace telltale
