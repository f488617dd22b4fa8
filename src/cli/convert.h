// SPDX-License-Identifier: Apache-2.0
// What `telltale convert` does once its request is checked: choose rows, rename, shift, hide, and
// hand every event to the writer of the target format.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/cut.h"
#include "base/result.h"
#include "formats/format.h"
#include "formats/redact.h"
#include "formats/trace_plan.h"
#include "formats/trace_writer.h"
#include "io/byte_sink.h"
#include "model/function_profile.h"

namespace telltale {

struct ConvertOptions {
  const FormatWriter* target = nullptr;
  bool steps = false;
  std::vector<std::string> categories;
  // Since the first event, or since 1970 (absolute); ns.
  std::optional<Interval> window;
  bool window_is_absolute = false;
  std::string window_text;  // as given, for messages
  bool redact = false;
  bool counters = false;
};

struct ConvertReport {
  uint64_t events_in = 0;
  uint64_t events_out = 0;
  LossCounts lost;  // what could not be kept
  std::vector<std::string> notes;
};

// Writes the wanted part of the traces, in their order, as one file; several are put on one clock
// and their processes named after their ranks. Fails (kUsage) where no event is wanted.
[[nodiscard]] Result<ConvertReport> ConvertTraces(std::span<const TraceContext> contexts,
                                                  const ConvertOptions& options, ByteSink& sink,
                                                  const std::function<void(uint64_t)>& progress);

// Spans as CSV, as `telltale profile --view events --csv` does.
[[nodiscard]] ConvertReport ConvertToCsv(std::span<const Trace* const> traces,
                                         const ConvertOptions& options, unsigned threads,
                                         ByteSink& sink);

// As .prof, speedscope or collapsed stacks. `redactor`: what it takes out is left out.
[[nodiscard]] Result<ConvertReport> ConvertFunctions(FunctionProfile profile,
                                                     const FormatWriter& target,
                                                     const Redactor* redactor, ByteSink& sink);

}  // namespace telltale
