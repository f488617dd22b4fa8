// SPDX-License-Identifier: Apache-2.0
// What is asked of two subjects, and the comparison itself: from the two to the document that is
// shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/work/report.h"
#include "base/result.h"
#include "model/subject.h"
#include "views/diff/output.h"
#include "views/params.h"

namespace telltale {

struct DiffRequest {
  ParamValues params;  // as given
  AnalysisOptions analysis;
  std::optional<int64_t> rank;
  std::optional<double> fail_above;
  std::optional<int64_t> limit;
};

[[nodiscard]] std::vector<ParamSpec> DiffParams();
[[nodiscard]] Result<DiffRequest> MakeDiffRequest(const ParamValues& params);

// One of the two, with its traces made ready with the request's options where somebody has that
// already.
struct ComparedSubject {
  const Subject& subject;
  std::optional<std::span<const TraceContext>> contexts = std::nullopt;
};

// An Error (kUsage) says why the two cannot be compared.
[[nodiscard]] Result<DiffDocument> MakeDiff(const ComparedSubject& before,
                                            const ComparedSubject& after,
                                            const DiffRequest& request);

}  // namespace telltale
