// SPDX-License-Identifier: Apache-2.0
// Runs the checks and puts their findings behind the reader's own.
#include "analysis/validate/validate.h"

#include <algorithm>
#include <utility>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/validate/checks.h"
#include "base/cancel.h"

namespace telltale {

namespace {

void AddDiagnostics(const Diagnostics& diagnostics, std::vector<Finding>& findings) {
  for (const Diagnostic& d : diagnostics.entries()) {
    const DiagnosticInfo& info = InfoOf(d.kind);
    findings.push_back({info.severity, std::string(info.name), d.count, d.first_offset,
                        d.detail.empty() ? std::string(info.message) : d.detail});
  }
}

}  // namespace

void validation::AddFinding(std::vector<Finding>& findings, Severity severity,
                            std::string_view kind, const Tally& tally, std::string message) {
  if (tally.count == 0) return;
  findings.push_back(
      {severity, std::string(kind), tally.count, tally.first_offset, std::move(message)});
}

std::vector<Finding> ValidateTrace(const Trace& trace) {
  std::vector<Finding> findings;
  AddDiagnostics(trace.diagnostics, findings);

  Diagnostics structure;
  const HostTree tree = BuildHostTree(trace, 0, structure);
  const DeviceLinks links = LinkDeviceEvents(trace, tree, structure);
  AddDiagnostics(structure, findings);

  const validation::Input input{trace, tree, links};
  for (auto check :
       {validation::CheckLaunchOrder, validation::CheckWaits,
        validation::CheckStreamSynchronizations, validation::CheckCollectives,
        validation::CheckBackwardNames, validation::CheckDeviceOverlap, validation::CheckSteps,
        validation::CheckWindow, validation::CheckDuplicates, validation::CheckDurations,
        validation::CheckClock, validation::CheckMemory, validation::CheckUnfinished}) {
    StopIfCanceled();
    check(input, findings);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return findings;
}

}  // namespace telltale
