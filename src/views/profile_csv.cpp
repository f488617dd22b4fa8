// SPDX-License-Identifier: Apache-2.0
#include "views/profile_csv.h"

#include <string>
#include <vector>

#include "views/rows.h"
#include "views/section.h"

namespace telltale {

void WriteProfileCsv(const Profile& profile, View view, int64_t limit, Output& output) {
  const ProfileReport& report = profile.report;
  switch (view) {
    case View::kSteps:
      return WriteCsvRows(report.steps.rows, StepFields(), limit, output);
    case View::kDevices:
      return WriteCsvRows(report.devices, DeviceFields(), limit, output);
    case View::kKernels:
      return WriteCsvRows(report.kernels, KernelFields(profile.kernel_grouping), limit, output);
    case View::kCopies:
      return WriteCsvRows(report.copies, CopyFields(), limit, output);
    case View::kRecommendations:
      return WriteCsvRows(profile.recommendations, RecommendationFields(), limit, output);
    case View::kDiagnostics:
      return WriteCsvRows(profile.diagnostics, DiagnosticFields(), limit, output);
    case View::kSection:
      for (const NamedSection& section : profile.sections) section.section->WriteCsv(limit, output);
      return;
    case View::kOverview:
    case View::kOperators:
    case View::kEvents:
      return WriteCsvRows(report.operators, OperatorFields(), limit, output);
  }
}

}  // namespace telltale
