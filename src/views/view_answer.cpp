// SPDX-License-Identifier: Apache-2.0
#include "views/view_answer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/typical_step.h"
#include "views/answer.h"
#include "views/capture_gaps.h"
#include "views/render/display.h"
#include "views/render/units.h"
#include "views/section.h"

namespace telltale {

namespace {

double Ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string Shown(std::string_view name, const OutputStyle& style) {
  return ShortenMiddle(Printable(name, style.unicode), 60, style.unicode);
}

std::string Count(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", FormatCount(static_cast<int64_t>(count)), noun,
                     count == 1 ? "" : "s");
}

// How even the steps are, and where the time of the slowest goes.
std::string AboutSteps(const Profile& profile, const OutputStyle& style) {
  constexpr double kUneven = 0.05;
  const StepReport& steps = profile.report.steps;
  const auto time = [&](int64_t ns) { return FormatDuration(ns, style.unicode); };
  if (steps.rows.empty()) return "The trace has no host or device events, so there is no step.";
  const StepRow* typical = TypicalStep(steps);
  if (typical == nullptr)
    return fmt::format("{}, none complete.", Count(steps.rows.size(), "step"));
  size_t complete = 0;
  const StepRow* fastest = typical;
  const StepRow* slowest = typical;
  for (const StepRow& row : steps.rows) {
    if (!row.complete) continue;
    ++complete;
    if (row.duration_ns < fastest->duration_ns) fastest = &row;
    if (row.duration_ns > slowest->duration_ns) slowest = &row;
  }
  if (complete == 1) return Answer(profile, style.unicode);
  std::string text =
      fmt::format("{} steps of {} (median)", FormatCount(static_cast<int64_t>(complete)),
                  time(typical->duration_ns));
  // What made it slow shows against a step of the same rank.
  const StepRow& usual = *TypicalStep(steps, slowest->file);
  if (Ratio(slowest->duration_ns - fastest->duration_ns, typical->duration_ns) < kUneven) {
    text += fmt::format(", all within {} of each other", FormatShare(kUneven, 0));
  } else if (Ratio(slowest->duration_ns - usual.duration_ns, usual.duration_ns) < kUneven) {
    text += fmt::format(", from {} to {}", time(fastest->duration_ns), time(slowest->duration_ns));
  } else {
    const auto more = [&](size_t c) { return slowest->categories[c] - usual.categories[c]; };
    size_t cause = 0;
    for (size_t c = 1; c < kStepCategoryCount; ++c) {
      if (more(c) > more(cause)) cause = c;
    }
    text += fmt::format("; the slowest, {}, takes {}: {} more than usual in {}",
                        Shown(slowest->name, style), time(slowest->duration_ns), time(more(cause)),
                        WordsFor(static_cast<StepCategory>(cause)));
  }
  if (complete < steps.rows.size()) {
    text += fmt::format("; {} more incomplete", steps.rows.size() - complete);
  }
  return text + ".";
}

std::string AboutDevices(const Profile& profile, const OutputStyle& style) {
  const std::vector<DeviceRow>& rows = profile.report.devices;
  if (rows.empty()) {
    return "No events of a GPU in the trace. Add ProfilerActivity.CUDA to activities, if the run "
           "used one.";
  }
  const auto [least, most] = std::ranges::minmax_element(rows, {}, &DeviceRow::utilization_share);
  const auto label = [&](const DeviceRow& row) {
    std::string text = fmt::format("Device {}", row.id);
    if (!row.name.empty()) text += fmt::format(" ({})", Shown(row.name, style));
    return text;
  };
  if (rows.size() == 1) {
    return fmt::format("{} computes {} of the time.", label(rows[0]),
                       FormatShare(rows[0].utilization_share, 0));
  }
  return fmt::format("{} devices compute between {} and {} of the time; {} the least.", rows.size(),
                     FormatShare(least->utilization_share, 0),
                     FormatShare(most->utilization_share, 0), label(*least));
}

// The three names with the most `time` in `rows`, as shares of `total`.
template <typename Row, typename Time, typename Name>
std::string Largest(const std::vector<Row>& rows, int64_t total, Time time, Name name,
                    const OutputStyle& style) {
  // Rows may be told apart by more than their names: shapes, launches.
  std::map<std::string, int64_t> by_name;
  for (const Row& row : rows) by_name[name(row)] += time(row);
  std::vector<std::pair<std::string, int64_t>> largest(by_name.begin(), by_name.end());
  const size_t count = std::min<size_t>(3, largest.size());
  std::ranges::partial_sort(largest, largest.begin() + static_cast<ptrdiff_t>(count),
                            [](const auto& a, const auto& b) {
                              if (a.second != b.second) return a.second > b.second;
                              return a.first < b.first;
                            });
  std::vector<std::string> parts;
  for (size_t i = 0; i < count && largest[i].second > 0; ++i) {
    parts.push_back(fmt::format("{} {}", Shown(largest[i].first, style),
                                FormatShare(Ratio(largest[i].second, total), 0)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string AboutOperators(const Profile& profile, const OutputStyle& style) {
  std::vector<OperatorRow> rows;
  for (const OperatorRow& row : profile.report.operators) {
    if (IsWork(row)) rows.push_back(row);
  }
  if (rows.empty()) return "No operators in the trace. Add ProfilerActivity.CPU to activities.";
  int64_t host = 0;
  int64_t device = 0;
  for (const OperatorRow& row : rows) {
    host += row.host_self_ns;
    device += row.device_self_ns;
  }
  const bool by_device = device > 0;
  const auto time = [by_device](const OperatorRow& row) {
    return by_device ? row.device_self_ns : row.host_self_ns;
  };
  std::string text =
      by_device
          ? fmt::format("The operators' kernels ran for {}", FormatDuration(device, style.unicode))
          : fmt::format("The operators took {} of CPU time", FormatDuration(host, style.unicode));
  const std::string largest = Largest(
      rows, by_device ? device : host, time, [](const OperatorRow& row) { return row.name; },
      style);
  if (!largest.empty()) text += fmt::format("; the most by {}", largest);
  return text + ".";
}

std::string AboutKernels(const Profile& profile, const OutputStyle& style) {
  const std::vector<KernelRow>& rows = profile.report.kernels;
  if (rows.empty()) {
    return "No kernels in the trace. Add ProfilerActivity.CUDA to activities, if the run used a "
           "GPU.";
  }
  int64_t total = 0;
  int64_t communication = 0;
  int64_t tensor_cores = 0;
  uint64_t calls = 0;
  for (const KernelRow& row : rows) {
    total += row.total_ns;
    calls += row.calls;
    if (row.kind == KernelKind::kCommunication) communication += row.total_ns;
    if (row.tensor_core) tensor_cores += row.total_ns;
  }
  std::string text = fmt::format(
      "{} ran for {}; the most in {}", Count(static_cast<size_t>(calls), "kernel"),
      FormatDuration(total, style.unicode),
      Largest(
          rows, total, [](const KernelRow& row) { return row.total_ns; },
          [&](const KernelRow& row) { return KernelName(row.name, style.unicode); }, style));
  text += fmt::format(". {} of the time is on tensor cores",
                      FormatShare(Ratio(tensor_cores, total), 0));
  if (communication > 0) {
    text += fmt::format(", {} is communication", FormatShare(Ratio(communication, total), 0));
  }
  return text + ".";
}

std::string AboutCopies(const Profile& profile, const OutputStyle& style) {
  const std::vector<CopyRow>& rows = profile.report.copies;
  if (rows.empty()) return "No memory copies or sets in the trace.";
  int64_t total = 0;
  int64_t pageable = 0;
  uint64_t calls = 0;
  for (const CopyRow& row : rows) {
    total += row.total_ns;
    calls += row.calls;
    if (row.pageable.value_or(false)) pageable += row.total_ns;
  }
  std::string text = fmt::format(
      "{} took {}; the most {}",
      calls == 1 ? "One copy or set"
                 : fmt::format("{} copies and sets", FormatCount(static_cast<int64_t>(calls))),
      FormatDuration(total, style.unicode),
      Largest(
          rows, total, [](const CopyRow& row) { return row.total_ns; },
          [](const CopyRow& row) { return row.name; }, style));
  if (pageable > 0) {
    text += fmt::format("; {} of it from or to pageable memory",
                        FormatShare(Ratio(pageable, total), 0));
  }
  return text + ".";
}

std::string AboutRecommendations(const Profile& profile) {
  const std::vector<Recommendation>& rows = profile.recommendations;
  if (rows.empty()) return "No rule found anything wrong with this run.";
  return fmt::format("{} to try. First: {}", Count(rows.size(), "thing"), rows.front().text);
}

std::string AboutDiagnostics(const Profile& profile) {
  const std::string loss = SummaryOfDiagnostics(profile, Severity::kLoss);
  if (!loss.empty()) return fmt::format("Parts of the input could not be used: {}.", loss);
  const std::string all = SummaryOfDiagnostics(profile, Severity::kInfo);
  return all.empty() ? "Everything in it could be used."
                     : fmt::format("Everything in it could be used; to know: {}.", all);
}

}  // namespace

std::string ViewAnswer(const Profile& profile, View view, const OutputStyle& style) {
  switch (view) {
    case View::kSteps:
      return AboutSteps(profile, style);
    case View::kDevices:
      return AboutDevices(profile, style);
    case View::kOperators:
      return AboutOperators(profile, style);
    case View::kKernels:
      return AboutKernels(profile, style);
    case View::kCopies:
      return AboutCopies(profile, style);
    case View::kRecommendations:
      return AboutRecommendations(profile);
    case View::kDiagnostics:
      return AboutDiagnostics(profile);
    case View::kSection:
    case View::kOverview:
    case View::kEvents:
      break;
  }
  const bool of_section = view == View::kSection || !HasTraces(profile);
  if (of_section && !profile.sections.empty()) {
    return profile.sections.front().section->Answer(style);
  }
  return Answer(profile, style.unicode);
}

}  // namespace telltale
