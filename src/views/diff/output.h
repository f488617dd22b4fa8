// SPDX-License-Identifier: Apache-2.0
// A comparison as JSON, CSV, Markdown for a pull request, and text for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/diff/diff.h"
#include "views/render/output.h"
#include "views/render/terminal.h"

namespace telltale {

// What --fail-above found.
struct DiffGate {
  std::string_view table;
  double least = 0;  // as a share
  const DiffRow* failed = nullptr;
};

// What a cause would have saved before, and would save now.
struct DiffCause {
  std::string_view rule;
  std::string what;
  std::string phrase;  // as the object of "because of"
  int64_t before_ns = 0;
  int64_t after_ns = 0;

  [[nodiscard]] int64_t change_ns() const { return after_ns - before_ns; }
};

struct DiffDocument {
  std::string before;  // as the user named them
  std::string after;
  DiffReport report;
  std::vector<DiffCause> causes;  // of traces: the largest change first
  std::optional<DiffGate> gate;
  std::vector<std::string> remarks;  // sentences that a reader of the numbers must know
};

[[nodiscard]] std::string DiffJson(const DiffDocument& document, int64_t limit,
                                   bool indented = true);
// All tables in one, with the table's name in front.
void WriteDiffCsv(const DiffDocument& document, int64_t limit, Output& output);
// For people: no limit is what suits them, 0 is all.
[[nodiscard]] std::string DiffMarkdown(const DiffDocument& comparison,
                                       std::optional<int64_t> limit);
[[nodiscard]] std::string DiffText(const DiffDocument& comparison, std::optional<int64_t> limit,
                                   const OutputStyle& style);

// What happened, in a sentence.
[[nodiscard]] std::string DiffAnswer(const DiffDocument& document, bool unicode);
// The row that failed, in a sentence.
[[nodiscard]] std::string DescribeFailure(const DiffGate& gate, const DiffReport& report,
                                          bool unicode);

}  // namespace telltale
