// SPDX-License-Identifier: Apache-2.0
// What `telltale convert` does once its request is checked: choose rows, rename, shift, hide, and
// hand every event to the writer of the target format.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/trace_plan.h"
#include "formats/trace_writer.h"
#include "io/byte_sink.h"
#include "model/trace.h"

namespace telltale {

enum class ConvertTarget : uint8_t { kKineto, kPerfetto, kPstats, kSpeedscope, kCollapsed, kCsv };

// By the end of the name, compression apart; nullopt: it does not say.
[[nodiscard]] std::optional<ConvertTarget> TargetForName(std::string_view path);

struct ConvertReport {
  uint64_t events_in = 0;
  uint64_t events_out = 0;
  LossCounts lost;  // what the target cannot hold
};

// Writes the planned part of the traces, in their order, as one file.
[[nodiscard]] Result<ConvertReport> ConvertTraces(std::span<const TracePlan> plans,
                                                  ConvertTarget target, ByteSink& sink,
                                                  const std::function<void(uint64_t)>& progress);

}  // namespace telltale
