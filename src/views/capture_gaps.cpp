// SPDX-License-Identifier: Apache-2.0
#include "views/capture_gaps.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analysis/causes/phase.h"
#include "views/render/units.h"

namespace telltale {

namespace {

// Only a training has steps to mark: a server answers requests until it is stopped.
bool Trains(const Profile& profile) {
  return std::ranges::any_of(profile.report.operators,
                             [](const OperatorRow& row) { return IsTrainingName(row.name); });
}

}  // namespace

std::vector<CaptureGap> CaptureGaps(const Profile& profile) {
  const auto any = [&](bool FileFacts::* has) {
    return std::any_of(profile.files.begin(), profile.files.end(),
                       [&](const FileFacts& file) { return file.*has; });
  };
  const auto reported = [&](std::string_view kind) {
    return std::any_of(profile.diagnostics.begin(), profile.diagnostics.end(),
                       [&](const FileDiagnostic& d) { return d.kind == kind; });
  };
  std::vector<CaptureGap> gaps;
  if (!HasTraces(profile)) return gaps;
  const bool host = any(&FileFacts::has_host_events);
  const bool device = any(&FileFacts::has_device_events);
  if (!host) {
    gaps.push_back({"operators", "ProfilerActivity.CPU in activities"});
  }
  if (!device) {
    gaps.push_back({"GPU events", "ProfilerActivity.CUDA in activities, if the run used a GPU"});
  }
  // The diagnostic says the same in its own words.
  if (profile.report.steps.source == StepSource::kWholeTrace && !reported("no_steps") &&
      Trains(profile)) {
    gaps.push_back({"steps", "prof.step() at the end of each iteration"});
  }
  if (!host) return gaps;
  if (!any(&FileFacts::has_shapes)) gaps.push_back({"input shapes", "record_shapes=True"});
  if (!any(&FileFacts::has_stacks)) gaps.push_back({"call stacks", "with_stack=True"});
  if (!any(&FileFacts::has_memory)) gaps.push_back({"memory events", "profile_memory=True"});
  return gaps;
}

std::string SummaryOfDiagnostics(const Profile& profile, Severity least) {
  std::vector<std::pair<std::string_view, uint64_t>> counts;
  for (Severity severity : {Severity::kError, Severity::kLoss, Severity::kInfo}) {
    if (severity < least) continue;
    for (const FileDiagnostic& d : profile.diagnostics) {
      if (d.severity != severity) continue;
      const auto known = std::find_if(counts.begin(), counts.end(),
                                      [&](const auto& entry) { return entry.first == d.kind; });
      if (known == counts.end()) {
        counts.emplace_back(d.kind, d.count);
      } else {
        known->second += d.count;
      }
    }
  }
  std::vector<std::string> parts;
  for (const auto& [kind, count] : counts) {
    parts.push_back(fmt::format("{} {}", FormatCount(static_cast<int64_t>(count)), kind));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace telltale
