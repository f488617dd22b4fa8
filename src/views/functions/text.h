// SPDX-License-Identifier: Apache-2.0
// A function profile for people: where the time goes in a sentence, then the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/functions/functions.h"
#include "model/profile_source.h"
#include "views/functions/request.h"
#include "views/render/terminal.h"

namespace telltale {

// Everything the texts are made from.
struct FunctionView {
  FunctionRequest request;
  std::optional<std::string> sort_field;  // as given
  std::vector<ProfileSource> files;
  bool of_traces = false;  // from the Python frames of traces
  std::vector<FunctionThread> threads;
  std::optional<size_t> thread;  // of them: the one that is shown alone
  FunctionTable table;
  std::vector<uint32_t> rows;  // to show, in order
  size_t all_rows = 0;         // before restrictions
  std::string problem;         // why there are none to show although there may be some
  std::optional<CallIndex> callers;
  std::optional<CallIndex> callees;
};

[[nodiscard]] std::string FunctionsText(const FunctionView& view, std::optional<int64_t> limit,
                                        const OutputStyle& style);

// Functions that the text lists; 0: all.
[[nodiscard]] size_t RowsOfText(const FunctionRequest& request, std::optional<int64_t> limit);

// Where the time goes, in a sentence, whatever the view is sorted by.
[[nodiscard]] std::string FunctionAnswer(const FunctionView& view, bool unicode);

// The callers or callees of one row, most total time first; ties by name.
[[nodiscard]] std::vector<uint32_t> SortedCalls(const FunctionTable& table,
                                                std::span<const uint32_t> calls, bool callers);

}  // namespace telltale
