// SPDX-License-Identifier: Apache-2.0
// `between`: some of the time that function profiles recorded, by the clock, by full moments, or
// since the start. Times without a zone are UTC, as in logs and lists of runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/intervals.h"
#include "base/result.h"
#include "model/function_profile.h"
#include "views/params.h"

namespace telltale {

struct TimePoint {
  enum class Kind : uint8_t {
    kOpen,        // as far as the recording goes
    kClock,       // since midnight, of whatever day was recorded
    kMoment,      // since 1970
    kSinceStart,  // since the recording's first moment
  };
  Kind kind = Kind::kOpen;
  int64_t ns = 0;
};

struct TimeRange {
  TimePoint from;
  TimePoint to;
};

[[nodiscard]] ParamSpec BetweenParam();
// "14:03..14:04", "2026-11-15T14:03:00Z..", "60s..2min". An Error is what to say behind the name of
// the parameter.
[[nodiscard]] Result<TimeRange> ParseTimeRange(std::string_view text);

// What profiles hold of a range.
struct TimeCut {
  std::vector<FunctionProfile> profiles;  // those that have something of it
  Interval covered;                       // since the recording's start
  std::optional<int64_t> start_ns;        // of the recording, since 1970; none: not known
  bool whole_slots = false;               // the ends are those of the files' slots
  size_t without_times = 0;               // profiles that do not say when things ran

  // "2026-11-15T14:03:00.213Z"; empty: not known.
  [[nodiscard]] std::string from_text() const;
  [[nodiscard]] std::string to_text() const;
  // "Between 14:03:00 and 14:04:01 on 2026-11-15 (UTC)", "Between 60 s and 61 s since the start"
  [[nodiscard]] std::string Phrase(bool unicode) const;
};
// An Error where no profile has times, or nothing was recorded then: it says what was.
[[nodiscard]] Result<TimeCut> CutBetween(std::span<const FunctionProfile* const> profiles,
                                         const TimeRange& range, const ParamValues& params);

}  // namespace telltale
