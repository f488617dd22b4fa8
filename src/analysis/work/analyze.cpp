// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/analyze.h"

#include <utility>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/sums.h"
#include "analysis/work/copies.h"
#include "analysis/work/devices.h"
#include "analysis/work/kernels.h"
#include "analysis/work/like_torch.h"
#include "analysis/work/operators.h"
#include "analysis/work/other_inside.h"
#include "base/cancel.h"
#include "base/parallel.h"

namespace telltale {

ProfileReport AnalyzeTrace(const Trace& trace, const AnalysisOptions& options) {
  return AnalyzeTrace(PrepareTrace(trace, options));
}

ProfileReport AnalyzeTrace(const TraceContext& context) {
  ProfileReport report = AnalyzeByName(context);
  Regroup(context, report);
  return report;
}

ProfileReport AnalyzeByName(const TraceContext& context) {
  const auto& [trace, options, diagnostics, tree, facts, links, steps, selection] = context;
  const unsigned threads = ThreadCount(options.threads);
  ProfileReport report;
  report.diagnostics = diagnostics;

  RunBoth(
      threads,
      [&] {
        report.operators =
            DescribeOperators(trace, tree, links, facts, selection, OperatorGrouping::kName);
      },
      [&] {
        std::vector<OtherTime> other;
        report.steps = DescribeSteps(trace, tree, links, facts, steps, &other);
        report.steps.other_inside = DescribeOther(context, other);
        StopIfCanceled();
        report.devices = DescribeDevices(trace, tree, links, facts, steps);
        StopIfCanceled();
        report.kernels =
            DescribeKernels(trace, tree, links, facts, selection, KernelGrouping::kName);
        StopIfCanceled();
        report.copies = DescribeCopies(trace, tree, links, selection);
      });
  for (const KernelRow& row : report.kernels) AddTo(report.kernel_total_ns, row.total_ns);
  for (const OperatorRow& row : report.operators)
    AddTo(report.host_self_total_ns, row.host_self_ns);
  return report;
}

void Regroup(const TraceContext& context, ProfileReport& report) {
  const auto& [trace, options, diagnostics, tree, facts, links, steps, selection] = context;
  if (options.kernels != KernelGrouping::kName) {
    report.kernels = DescribeKernels(trace, tree, links, facts, selection, options.kernels);
  }
  if (options.like_torch) {
    report.operators = DescribeOperatorsLikeTorch(trace, tree, links, selection, options.operators);
  } else if (options.operators != OperatorGrouping::kName) {
    report.operators = DescribeOperators(trace, tree, links, facts, selection, options.operators);
  }
  if (options.like_torch) {
    report.host_self_total_ns = 0;
    for (const OperatorRow& row : report.operators)
      AddTo(report.host_self_total_ns, row.host_self_ns);
  }
}

}  // namespace telltale
