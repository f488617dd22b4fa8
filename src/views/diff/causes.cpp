// SPDX-License-Identifier: Apache-2.0
#include "views/diff/causes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/causes/causes.h"
#include "analysis/core/sums.h"
#include "base/frame_name.h"
#include "health/cause_words.h"

namespace telltale {

namespace {

using CauseKey = std::tuple<CauseKind, std::string, std::string>;

// What is the same on both sides: a function where its line has moved, and what has one name for
// people whatever its range is called.
CauseKey KeyOf(const Cause& cause, const std::string& what) {
  switch (cause.kind) {
    case CauseKind::kDataLoading:
    case CauseKind::kGarbageCollection:
    case CauseKind::kCompilation: {
      const size_t rank = what.rfind(" on ");  // there only where several ranks are compared
      const bool of_rank = cause.file.has_value() && rank != std::string::npos;
      return {cause.kind, of_rank ? what.substr(rank) : "", ""};
    }
    default: {
      const FrameName frame = SplitFrameName(what);
      return {cause.kind, std::string(frame.name), std::string(frame.file)};
    }
  }
}

}  // namespace

std::vector<DiffCause> CompareCauses(std::span<const TraceContext> before,
                                     std::span<const TraceContext> after) {
  std::map<CauseKey, DiffCause> joined;
  const auto add = [&](std::span<const TraceContext> traces, int64_t DiffCause::* side) {
    std::vector<std::string> labels;
    for (const TraceContext& context : traces) labels.push_back(LabelOf(context.trace.source));
    for (const Cause& cause : DescribeCauses(traces).causes) {
      if (!cause.saving_ns) continue;
      std::string what = health::WhatOf(cause, labels);
      DiffCause& row = joined[KeyOf(cause, what)];
      row.rule = RuleOf(cause.kind);
      row.what = std::move(what);
      row.phrase = health::PhraseOf(cause, labels);
      AddTo(row.*side, *cause.saving_ns);
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
