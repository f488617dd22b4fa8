// SPDX-License-Identifier: Apache-2.0
#include "views/answer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/communication.h"
#include "analysis/core/steps.h"
#include "views/page_causes.h"
#include "views/render/display.h"
#include "views/render/units.h"
#include "views/words.h"

namespace telltale {

namespace {

// What is smaller is not worth a place in the sentence, unless nothing else is there.
constexpr double kWorthSaying = 0.10;
constexpr double kWorthSayingAlone = 0.02;
// A cause, the second one, and time that nobody can judge are named from these shares on.
constexpr double kCause = 0.05;
constexpr double kSecondCause = 0.05;
// A second cause that would take off less than one part in so many has no place in the sentence.
constexpr int64_t kHidden = 50;
constexpr double kUnknown = 0.20;
// From here on the GPU is the limit, not what it waits for.
constexpr double kGpuBound = 0.90;
// Ranks or files further apart than this are named.
constexpr double kUneven = 0.05;

struct Average {
  int64_t duration_ns = 0;
  StepTimes times = {};
  size_t steps = 0;
};

// Over complete steps, or over all where none is complete. `file`: of this file alone.
Average AverageOf(const StepReport& steps, std::optional<uint32_t> file = std::nullopt) {
  const auto counts = [&](const StepRow& row, bool only_complete) {
    return (!file || row.file == *file) && (row.complete || !only_complete);
  };
  const bool any_complete = std::any_of(steps.rows.begin(), steps.rows.end(),
                                        [&](const StepRow& row) { return counts(row, true); });
  Average average;
  for (const StepRow& row : steps.rows) {
    if (!counts(row, any_complete)) continue;
    ++average.steps;
    average.duration_ns += row.duration_ns;
    for (size_t c = 0; c < kStepCategoryCount; ++c) average.times[c] += row.categories[c];
  }
  if (average.steps == 0) return average;
  const auto count = static_cast<int64_t>(average.steps);
  average.duration_ns /= count;
  for (int64_t& time : average.times) time /= count;
  return average;
}

struct Part {
  double share = 0;
  int64_t time_ns = 0;
  std::string what;
};

std::string DeviceWord(const Profile& profile) {
  for (const DeviceRow& device : profile.report.devices) {
    if (device.type != "cuda" && device.type != "hip" && device.type != "xpu") return "accelerator";
  }
  return "GPU";
}

// The most expensive operator by `time`, with its share of what all work took itself. The
// DataLoader has its own place in the sentence.
std::pair<std::string, double> TopOperator(const Profile& profile, int64_t OperatorRow::* time) {
  const OperatorRow* top = nullptr;
  int64_t total = 0;
  for (const OperatorRow& row : profile.report.operators) {
    if (!IsWork(row)) continue;
    total += row.*time;
    if (IsDataLoaderRange(row.name)) continue;
    if (top == nullptr || row.*time > top->*time) top = &row;
  }
  if (top == nullptr || total <= 0 || top->*time <= 0) return {"", 0};
  return {top->name, static_cast<double>(top->*time) / static_cast<double>(total)};
}

std::vector<Part> PartsOf(const Average& average, bool has_device, bool has_operators,
                          const std::string& device) {
  const auto time = [&](StepCategory c) { return average.times[static_cast<size_t>(c)]; };
  const int64_t total = std::accumulate(average.times.begin(), average.times.end(), int64_t{0});
  std::vector<Part> parts;
  const auto add = [&](int64_t ns, std::string what) {
    if (ns > 0 && total > 0) {
      parts.push_back({static_cast<double>(ns) / static_cast<double>(total), ns, std::move(what)});
    }
  };
  add(time(StepCategory::kMemcpy) + time(StepCategory::kMemset), "copying memory");
  add(time(StepCategory::kCommunication), "in communication");
  add(time(StepCategory::kRuntime), fmt::format("in {} runtime calls", device));
  add(time(StepCategory::kDataloader), "waiting for the DataLoader");
  add(time(StepCategory::kCpuExec),
      has_device ? fmt::format("in CPU operators while the {} waits", device) : "in operators");
  add(time(StepCategory::kOther),
      has_operators ? "outside any traced operator" : "in which nothing was traced");
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.share > b.share; });
  return parts;
}

// "on average over 4 ranks (rank 2 is the slowest: 190.1 ms)"
std::string SeveralFiles(const Profile& profile, bool unicode) {
  const std::vector<const FileFacts*> files = TraceFiles(profile);
  if (files.size() < 2) return "";
  const std::vector<int64_t> ranks = RanksOf(profile);
  const bool by_rank = ranks.size() > 1;
  std::string out = by_rank ? fmt::format(" on average over {} ranks", ranks.size())
                            : fmt::format(" on average over {} files", files.size());
  int64_t fastest = INT64_MAX;
  int64_t slowest = 0;
  size_t slowest_file = 0;
  for (size_t f = 0; f < files.size(); ++f) {
    const Average average = AverageOf(profile.report.steps, static_cast<uint32_t>(f));
    if (average.steps == 0) continue;
    fastest = std::min(fastest, average.duration_ns);
    if (average.duration_ns > slowest) {
      slowest = average.duration_ns;
      slowest_file = f;
    }
  }
  if (static_cast<double>(slowest) > static_cast<double>(fastest) * (1 + kUneven)) {
    out +=
        fmt::format(" ({} is the slowest: {})", Printable(LabelOf(*files[slowest_file]), unicode),
                    FormatDuration(slowest, unicode));
  }
  return out;
}

// What the causes speak of: the mean step, or that of all ranks together where they begin far
// apart.
int64_t CommonStep(const Profile& profile, int64_t average_ns) {
  const CausesReport& causes = profile.causes;
  const bool apart = causes.joined && causes.average_ns > average_ns + average_ns / 20;
  return apart ? causes.average_ns : average_ns;
}

std::string Opening(const Profile& profile, const Average& average, bool unicode) {
  const StepReport& steps = profile.report.steps;
  std::string time = FormatDuration(average.duration_ns, unicode);
  if (const std::string range = RangeWords(steps, unicode); !range.empty())
    time += fmt::format(" ({})", range);
  std::string over = SeveralFiles(profile, unicode);
  if (profile.causes.joined && CommonStep(profile, average.duration_ns) != average.duration_ns) {
    over += fmt::format(", {} from the first one's start to the last one's end",
                        FormatDuration(profile.causes.average_ns, unicode));
  }
  const std::string_view graph =
      profile.causes.records_graph ? ", in which a graph is captured, once" : "";
  if (steps.source == StepSource::kWholeTrace) {
    return over.empty()
               ? fmt::format("The trace covers {} (no steps are marked){}", time, graph)
               : fmt::format("The traces cover {}{} (no steps are marked){}", time, over, graph);
  }
  return fmt::format("{} {}{}{}",
                     steps.rows.size() == 1 ? "The one recorded step takes" : "A step takes", time,
                     over, graph);
}

std::string Without(const Profile& profile, const Cause& cause, int64_t average_ns, bool unicode) {
  return fmt::format("; without {} it would take {}", NamedCause(profile, cause),
                     FormatDuration(std::max<int64_t>(0, average_ns - *cause.saving_ns), unicode));
}

// "; without hipFree (1,360 calls, in empty_cache) it would take 0.40 s": the first one or two.
std::string Causes(const Profile& profile, int64_t average_ns, bool unicode) {
  const CausesReport& report = profile.causes;
  std::vector<const Cause*> said;
  for (const Cause& cause : report.causes) {
    if (!cause.saving_ns || said.size() == 2) break;
    if (cause.share < (said.empty() ? kCause : kSecondCause)) break;
    // With the first one gone the second may be hidden beside something else.
    if (!said.empty() && report.Without(1) - report.Without(2) < average_ns / kHidden) break;
    said.push_back(&cause);
  }
  const auto left = [&](int64_t saved) {
    return FormatDuration(std::max<int64_t>(0, average_ns - saved), unicode);
  };
  // What nobody can judge comes first where it is more than the first that can be saved.
  std::string out;
  for (const Cause& cause : report.causes) {
    if (cause.saving_ns || cause.share < kUnknown) continue;
    if (!said.empty() && cause.share < said[0]->share) continue;
    out = fmt::format(": {} ({}) are in {}{}", FormatDuration(cause.path_ns, unicode),
                      FormatShare(cause.share, 0), NamedCause(profile, cause),
                      report.joined ? ""
                                    : ", which one rank's trace cannot tell from waiting for other "
                                      "ranks");
    break;
  }
  // A trace of nothing else.
  if (!said.empty() && said[0]->share > kNearlyAll) {
    return Printable(fmt::format(": nearly all of it is {}", NamedCause(profile, *said[0])),
                     unicode);
  }
  if (!said.empty()) out += Without(profile, *said[0], average_ns, unicode);
  if (said.size() == 2) {
    out += fmt::format(", and without {} as well {}", NamedCause(profile, *said[1]),
                       left(report.average_ns - report.Without(2)));
  }
  return Printable(out, unicode);
}

// "; 61 % of the GPU's time was launched by graphs, without a word on its operators"
std::string Unattributed(const CausesReport& report, const std::string& device) {
  constexpr double kWorthAWord = 0.20;
  std::string out;
  if (report.graph_share >= kWorthAWord) {
    out += fmt::format("; {} of the {}'s time was launched by graphs, which name no operators",
                       FormatShare(report.graph_share, 0), device);
  }
  if (report.no_launch_share >= kWorthAWord) {
    out += fmt::format("; {} of the {}'s time has no launch in the trace",
                       FormatShare(report.no_launch_share, 0), device);
  }
  return out;
}

std::string Nothing(const Profile& profile) {
  uint64_t events = 0;
  const std::vector<const FileFacts*> files = TraceFiles(profile);
  for (const FileFacts* file : files) events += file->source.events;
  const char* which = files.size() == 1 ? "The trace holds" : "The traces hold";
  if (events == 0) return fmt::format("{} no events: there is nothing to measure.", which);
  return fmt::format(
      "{} {} event{}, but no operator, annotation, runtime call or kernel among them: there is "
      "nothing to "
      "measure.",
      which, FormatCount(static_cast<int64_t>(events)), events == 1 ? "" : "s");
}

}  // namespace

bool IsWork(const OperatorRow& row) {
  if (row.device_self_ns > 0) return true;
  return row.kind == OperatorKind::kOperator && ProfilerStepNumber(row.name).empty();
}

std::string_view WordsFor(StepCategory category) {
  static constexpr std::array<std::string_view, kStepCategoryCount> kWords = {
      "kernels",       "memory copies",  "memory sets",   "communication",
      "runtime calls", "the DataLoader", "CPU operators", "code outside any operator"};
  return kWords[static_cast<size_t>(category)];
}

std::string SharePhrase(double share) {
  static constexpr std::array<std::pair<double, std::string_view>, 5> kWords = {{
      {1.0 / 4, "a quarter"},
      {1.0 / 3, "a third"},
      {1.0 / 2, "half"},
      {2.0 / 3, "two thirds"},
      {3.0 / 4, "three quarters"},
  }};
  if (share >= 0.995) return "all of it";
  for (const auto& [value, words] : kWords) {
    if (std::abs(share - value) < 0.008) return std::string(words);
  }
  return FormatShare(share, 0);
}

std::string RangeWords(const StepReport& steps, bool unicode) {
  constexpr double kWorthAWord = 0.05;
  if (!steps.range_ns || steps.average_ns <= 0) return "";
  const auto matters = [&](int64_t ns) {
    return static_cast<double>(std::abs(ns)) >= kWorthAWord * static_cast<double>(steps.average_ns);
  };
  if (!matters(steps.average_ns - *steps.range_ns)) return "";
  std::string words =
      fmt::format("its own range takes {}", FormatDuration(*steps.range_ns, unicode));
  if (matters(steps.starts_late_ns)) {
    words += fmt::format(", work from before holds it up for {}",
                         FormatDuration(steps.starts_late_ns, unicode));
  }
  if (matters(steps.ends_late_ns)) {
    words +=
        fmt::format(", device work ends {} later", FormatDuration(steps.ends_late_ns, unicode));
  }
  return words;
}

std::string WithoutFirstCause(const Profile& profile, bool unicode) {
  const std::vector<Cause>& causes = profile.causes.causes;
  if (causes.empty() || !causes[0].saving_ns || causes[0].share < kCause) return "";
  return Printable(Without(profile, causes[0], profile.causes.average_ns, unicode), unicode);
}

std::string Answer(const Profile& profile, bool unicode) {
  bool has_host = false;
  bool has_device = false;
  for (const FileFacts* file : TraceFiles(profile)) {
    has_host |= file->has_host_events;
    has_device |= file->has_device_events;
  }
  const Average average = AverageOf(profile.report.steps);
  if ((!has_host && !has_device) || average.steps == 0) return Nothing(profile);

  const std::string device = DeviceWord(profile);
  const std::string subject = Opening(profile, average, unicode);
  const int64_t total = std::accumulate(average.times.begin(), average.times.end(), int64_t{0});
  const double kernel_share =
      total > 0 ? static_cast<double>(average.times[static_cast<size_t>(StepCategory::kKernel)]) /
                      static_cast<double>(total)
                : 0;
  if (total <= 0) return subject + ".";

  if (!has_host) {
    return fmt::format(
        "{}: {} computing on the {}; without host events nothing says what it waits for.", subject,
        SharePhrase(kernel_share), device);
  }
  const std::string unknown = Unattributed(profile.causes, device);
  if (std::string causes = Causes(profile, CommonStep(profile, average.duration_ns), unicode);
      !causes.empty()) {
    return subject + causes + unknown + ".";
  }
  if (kernel_share >= kGpuBound) {
    const auto [name, share] = TopOperator(profile, &OperatorRow::device_self_ns);
    std::string out = fmt::format(
        "{}, and the {} computes {} of it: nothing else costs 5 %, so that more speed "
        "has to come from the kernels",
        subject, device, FormatShare(kernel_share, 0));
    if (profile.bound) {
      return fmt::format("{}; {}{}.", out, BoundWords(*profile.bound), unknown);
    }
    if (!name.empty()) {
      out +=
          fmt::format(" ({} has {} of the kernels' time)",
                      ShortenMiddle(Printable(name, unicode), 40, unicode), FormatShare(share, 0));
    }
    return out + unknown + ".";
  }

  std::vector<std::string> phrases;
  if (has_device) {
    phrases.push_back(fmt::format("{} computing on the {}", SharePhrase(kernel_share), device));
  }
  bool first = true;
  const bool has_operators = !profile.report.operators.empty();
  for (const Part& part : PartsOf(average, has_device, has_operators, device)) {
    if (part.share < (first ? kWorthSayingAlone : kWorthSaying) || phrases.size() >= 3) break;
    phrases.push_back(fmt::format("{} {} ({})", SharePhrase(part.share), part.what,
                                  FormatDuration(part.time_ns, unicode)));
    first = false;
  }
  std::string out = fmt::format("{}: {}", subject, fmt::join(phrases, ", "));
  if (!has_device) {
    const auto [name, share] = TopOperator(profile, &OperatorRow::host_self_ns);
    if (!name.empty() && share >= kWorthSaying) {
      out +=
          fmt::format("; of the operators' time {} has the most ({})",
                      ShortenMiddle(Printable(name, unicode), 40, unicode), FormatShare(share, 0));
    }
  }
  return out + unknown + ".";
}

}  // namespace telltale
