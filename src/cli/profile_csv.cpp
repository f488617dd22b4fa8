// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_csv.h"

#include <string>
#include <vector>

#include "cli/fields.h"

namespace telltale {

namespace {

template <typename Row>
void WriteRows(const std::vector<Row>& rows, const RowFields<Row>& fields, int64_t limit,
               Output& output) {
  std::string line;
  for (const RowField<Row>& field : fields) {
    if (!line.empty()) line += ',';
    line += field.name;
  }
  line += '\n';
  output.Write(line);
  const size_t count = Limited(rows.size(), limit);
  for (size_t i = 0; i < count && output.wanted(); ++i) {
    line.clear();
    bool first = true;
    for (const RowField<Row>& field : fields) {
      if (!first) line += ',';
      first = false;
      AppendCsv(field.get(rows[i]), line);
    }
    line += '\n';
    output.Write(line);
  }
}

}  // namespace

void WriteProfileCsv(const Profile& profile, View view, int64_t limit, Output& output) {
  const ProfileReport& report = profile.report;
  switch (view) {
    case View::kSteps:
      return WriteRows(report.steps.rows, StepFields(), limit, output);
    case View::kDevices:
      return WriteRows(report.devices, DeviceFields(), limit, output);
    case View::kKernels:
      return WriteRows(report.kernels, KernelFields(profile.kernel_grouping), limit, output);
    case View::kCopies:
      return WriteRows(report.copies, CopyFields(), limit, output);
    case View::kRecommendations:
      return WriteRows(report.recommendations, RecommendationFields(), limit, output);
    case View::kDiagnostics:
      return WriteRows(profile.diagnostics, DiagnosticFields(), limit, output);
    case View::kOverview:
    case View::kOperators:
    case View::kEvents:
      return WriteRows(report.operators, OperatorFields(), limit, output);
  }
}

}  // namespace telltale
