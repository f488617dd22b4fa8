// SPDX-License-Identifier: Apache-2.0
#include "views/diff/causes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "analysis/causes/causes.h"
#include "health/cause_words.h"

namespace telltale {

std::vector<DiffCause> CompareCauses(std::span<const TraceContext> before,
                                     std::span<const TraceContext> after) {
  std::map<std::pair<CauseKind, std::string>, DiffCause> joined;
  const auto add = [&](std::span<const TraceContext> traces, int64_t DiffCause::* side) {
    std::vector<std::string> labels;
    for (const TraceContext& context : traces) labels.push_back(LabelOf(context.trace.source));
    for (const Cause& cause : DescribeCauses(traces).causes) {
      if (!cause.saving_ns) continue;
      std::string what = health::WhatOf(cause, labels);
      DiffCause& row = joined[{cause.kind, what}];
      row.rule = RuleOf(cause.kind);
      row.what = std::move(what);
      row.phrase = health::PhraseOf(cause, labels);
      row.*side = *cause.saving_ns;
    }
  };
  add(before, &DiffCause::before_ns);
  add(after, &DiffCause::after_ns);
  std::vector<DiffCause> rows;
  for (auto& [key, row] : joined) rows.push_back(std::move(row));
  std::ranges::stable_sort(rows, [](const DiffCause& a, const DiffCause& b) {
    return std::abs(a.change_ns()) > std::abs(b.change_ns());
  });
  return rows;
}

}  // namespace telltale
