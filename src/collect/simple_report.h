// SPDX-License-Identifier: Apache-2.0
// What the spans of a run come to, action by action: profiler/simple.txt, made of the files of
// spans (span_file.h) when a program has ended, in whatever way. A file is read packet by packet:
// memory grows with threads and names, not with spans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

namespace telltale {

struct ActionSum {
  std::string action;
  uint64_t calls = 0;
  int64_t total_ns = 0;  // of an action inside itself, the outermost counts
};

struct SpanSums {
  std::string file;                // its name without ending
  std::vector<ActionSum> actions;  // by time, descending
  uint64_t calls = 0;
  int64_t first_ns = 0;  // where the first span begins, since the process began to record
  int64_t last_ns = 0;   // where the last one ends
  uint64_t missing = 0;  // spans that are not in the file, as it says

  [[nodiscard]] int64_t wall_ns() const { return last_ns - first_ns; }
};

// A file that is cut or damaged counts as far as it goes.
[[nodiscard]] Result<SpanSums> SumSpans(ByteSource& source);

// The text of simple.txt.
[[nodiscard]] std::string SimpleReport(const std::vector<SpanSums>& sums);

// Of all files of spans in the run's profiler/; none: nothing is written.
[[nodiscard]] Result<void> WriteSimpleReport(const std::string& profiler_folder);

}  // namespace telltale
