// SPDX-License-Identifier: Apache-2.0
// What the view `functions` shows of function profiles, and what it says in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/functions/functions.h"
#include "analysis/functions/lines.h"
#include "model/profile_source.h"
#include "views/functions/request.h"
#include "views/render/terminal.h"

namespace telltale {

struct FunctionView {
  std::vector<FunctionProfile> of_traces;  // the table refers to their texts
  std::optional<TimeCut> cut;              // likewise: what `between` left of them and of the files
  FunctionRequest request;
  std::vector<ProfileSource> files;
  bool only_traces = false;  // all is from the Python frames of traces
  std::vector<FunctionThread> threads;
  std::optional<size_t> thread;  // of them: the one that is shown alone
  FunctionTable table;
  std::vector<uint32_t> rows;  // to show, in order
  size_t all_rows = 0;         // before restrictions
  std::string problem;         // why there are none to show although there may be some
  std::vector<FunctionLine> lines;
  std::optional<CallIndex> callers;
  std::optional<CallIndex> callees;
};

// Where the time goes, in a sentence, whatever the view is sorted by.
[[nodiscard]] std::string FunctionSentence(const FunctionView& view, bool unicode);
// Which files, how many functions.
[[nodiscard]] std::string FunctionSources(const FunctionView& view, const OutputStyle& style);
// What was cut out by `between`, and how exactly.
[[nodiscard]] std::string CutRemark(const FunctionView& view, bool unicode);
// What --own-code did; the table has folded time.
[[nodiscard]] std::string OwnCodeRemark(const FunctionTable& table, const OutputStyle& style);

}  // namespace telltale
