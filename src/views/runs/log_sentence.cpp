// SPDX-License-Identifier: Apache-2.0
#include "views/runs/log_sentence.h"

#include <fmt/format.h>

#include "views/render/units.h"
#include "views/runs/runs_table.h"

namespace telltale {

namespace {

std::string Counted(uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", FormatCount(static_cast<int64_t>(count)), one,
                     count == 1 ? "" : "s");
}

}  // namespace

std::string LogSentence(const LogState& log) {
  if (log.bytes == 0) return "The log is empty.";
  std::string out = Counted(log.lines, "line");
  if (log.first_time_ns && log.last_time_ns && *log.last_time_ns > *log.first_time_ns) {
    out += fmt::format(" over {}",
                       LongDuration(*log.last_time_ns - *log.first_time_ns, OutputStyle()));
  } else if (log.timed_lines == 0) {
    out += ", none with a time";
  }
  if (log.warnings + log.errors > 0) {
    out += "; ";
    if (log.errors > 0) out += Counted(log.errors, "error");
    if (log.errors > 0 && log.warnings > 0) out += ", ";
    if (log.warnings > 0) out += Counted(log.warnings, "warning");
  }
  out += ".";
  if (log.indexed < log.bytes) {
    out += fmt::format(" {} of {} are read so far.", FormatBytes(static_cast<int64_t>(log.indexed)),
                       FormatBytes(static_cast<int64_t>(log.bytes)));
  }
  return out;
}

}  // namespace telltale
