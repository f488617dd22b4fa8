// SPDX-License-Identifier: Apache-2.0
#include "views/functions/between.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "analysis/functions/time_cut.h"
#include "base/decimal.h"
#include "runs/run_settings.h"
#include "views/render/units.h"
#include "views/runs/runs_table.h"

namespace telltale {

namespace {

using Kind = TimePoint::Kind;

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
// A recording of so many days has no time of day that could be meant.
constexpr int64_t kMostDays = 400;
constexpr std::string_view kTakes =
    "takes FROM..TO: times of day (14:03..14:04) or moments (2026-11-15T14:03:00Z..) in UTC, or "
    "times since the start (60s..2min); either end may be left out";

// Files may say any time: sums stay within what there is.
int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}
int64_t Minus(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}
Interval Moved(Interval time, int64_t by) {
  return {Plus(time.start_ns, by), Plus(time.end_ns, by)};
}

bool IsDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "14:03", "14:03:20.5"
std::optional<int64_t> ParseClock(std::string_view text) {
  const size_t colon = text.find(':');
  // Without one it is far beyond.
  if (colon > 2 || !IsDigits(text.substr(0, colon))) return std::nullopt;
  const int64_t hours = ParseInteger(text.substr(0, colon)).value_or(24);
  std::string_view rest = text.substr(colon + 1);
  const size_t next = std::min(rest.find(':'), rest.size());
  if (next != 2 || !IsDigits(rest.substr(0, next))) return std::nullopt;
  const int64_t minutes = ParseInteger(rest.substr(0, next)).value_or(60);
  rest.remove_prefix(next);
  std::optional<int64_t> seconds_ns = 0;
  if (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view whole = rest.substr(0, rest.find('.'));
    if (whole.size() != 2 || !IsDigits(whole)) return std::nullopt;
    seconds_ns = DecimalToInt(rest, 9);
  }
  if (hours > 23 || minutes > 59 || !seconds_ns || *seconds_ns < 0 || *seconds_ns >= kMinute) {
    return std::nullopt;
  }
  return hours * kHour + minutes * kMinute + *seconds_ns;
}

std::optional<int64_t> ParseSinceStart(std::string_view text) {
  struct Unit {
    std::string_view name;
    int64_t ns;
  };
  // Longer names first: a minute ends in no unit, a millisecond ends in "s".
  static constexpr std::array<Unit, 7> kUnits = {{{"min", kMinute},
                                                  {"ms", kMillisecond},
                                                  {"us", 1'000},
                                                  {"ns", 1},
                                                  {"s", kSecond},
                                                  {"m", kMinute},
                                                  {"h", kHour}}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    // Nine decimals are kept whatever the unit is.
    const std::optional<int64_t> scaled = DecimalToInt(text, 9);
    if (!scaled || *scaled < 0) return std::nullopt;
    const int64_t whole = *scaled / kSecond;
    const int64_t part = *scaled % kSecond;
    if (whole > std::numeric_limits<int64_t>::max() / 4 / unit.ns) return std::nullopt;
    return whole * unit.ns +
           static_cast<int64_t>(static_cast<double>(part) / 1e9 * static_cast<double>(unit.ns));
  }
  return std::nullopt;
}

// A minute is its beginning; without a zone it is UTC.
std::optional<int64_t> ParseMomentText(std::string_view text) {
  if (const std::optional<int64_t> whole = ParseTime(text)) return whole;
  constexpr size_t kToMinutes = std::string_view("2026-11-15T14:03").size();
  if (text.size() < kToMinutes) return std::nullopt;
  return ParseTime(fmt::format("{}:00{}", text.substr(0, kToMinutes), text.substr(kToMinutes)));
}

std::optional<TimePoint> ParsePoint(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return TimePoint();
  if (const auto clock = ParseClock(text)) return TimePoint{Kind::kClock, *clock};
  if (const auto moment = ParseMomentText(text)) return TimePoint{Kind::kMoment, *moment};
  if (const auto since = ParseSinceStart(text)) return TimePoint{Kind::kSinceStart, *since};
  return std::nullopt;
}

// Days since 1970.
int64_t DayOf(int64_t ns) { return ns / kDay - (ns % kDay < 0 ? 1 : 0); }
// When it begins; of the first day that numbers can name, what there is of it.
int64_t StartOfDay(int64_t day) {
  int64_t ns = 0;
  if (!__builtin_mul_overflow(day, kDay, &ns)) return ns;
  return day < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

std::string Millisecond(int64_t ns) {
  const int64_t part = ((ns % kSecond) + kSecond) % kSecond / kMillisecond;
  return fmt::format("{}.{:03}", MomentText(ns), part);
}

// "2026-11-15 14:00:01 to 14:09:33 UTC"
std::string StretchText(int64_t from, int64_t to) {
  const std::string end = MomentText(to);
  constexpr size_t kDate = std::string_view("2026-11-15 ").size();
  return fmt::format("{} to {} UTC", MomentText(from),
                     DayOf(from) == DayOf(to) && end.size() > kDate ? end.substr(kDate) : end);
}

// The moments that are meant, where the recording's day has to be found; several: it has several
// such days.
std::vector<Interval> ByTheClock(const TimeRange& range, Interval recorded) {
  const auto clock = [](const TimePoint& point) { return point.kind == Kind::kClock; };
  const bool both = clock(range.from) && clock(range.to);
  const bool over_midnight = both && range.to.ns <= range.from.ns;
  std::vector<Interval> all;
  const int64_t first = DayOf(recorded.start_ns) - (over_midnight ? 1 : 0);
  for (int64_t day = first; day <= DayOf(recorded.end_ns); ++day) {
    const auto at = [&](const TimePoint& point, int64_t open) {
      if (clock(point)) return Plus(StartOfDay(day), point.ns);
      return point.kind == Kind::kOpen ? open : point.ns;
    };
    Interval one = {at(range.from, recorded.start_ns), at(range.to, recorded.end_ns)};
    if (over_midnight) one.end_ns = Plus(one.end_ns, kDay);
    if (one.start_ns >= one.end_ns) continue;
    if (one.start_ns < recorded.end_ns && one.end_ns > recorded.start_ns) all.push_back(one);
  }
  if (all.size() < 2) return all;
  // Those whose ends were recorded say more than those that merely reach into it.
  std::vector<Interval> inside = all;
  std::erase_if(inside, [&](const Interval& one) {
    return one.start_ns < recorded.start_ns || one.end_ns > recorded.end_ns;
  });
  return inside.size() == 1 ? inside : all;
}

// What was recorded, in a message: `recorded` since 1970 where that is known.
std::string Covers(Interval recorded, bool dated) {
  const std::string length =
      FormatDuration(std::max<int64_t>(0, Minus(recorded.end_ns, recorded.start_ns)));
  if (!dated) return fmt::format("0s..{} since the start", length);
  return fmt::format("{} ({})", StretchText(recorded.start_ns, recorded.end_ns), length);
}

// The range that is meant, in the terms of `recorded`.
Result<Interval> Resolve(const TimeRange& range, Interval recorded, bool dated,
                         const ParamValues& params) {
  const std::string covers = Covers(recorded, dated);
  const auto by_clock = [](const TimePoint& point) {
    return point.kind == Kind::kClock || point.kind == Kind::kMoment;
  };
  if (!dated && (by_clock(range.from) || by_clock(range.to))) {
    return params.Wrong("between", fmt::format("needs times since the start here: the file does "
                                               "not say when it was recorded; it has {}",
                                               covers));
  }
  const auto outside = [&] {
    return params.Wrong("between", fmt::format("{} is outside of what was recorded: {}",
                                               QuotedWord(params.Text("between")), covers));
  };
  Interval asked;
  if (range.from.kind == Kind::kClock || range.to.kind == Kind::kClock) {
    if (DayOf(recorded.end_ns) - DayOf(recorded.start_ns) > kMostDays) {
      return params.Wrong("between", fmt::format("needs the day, too: recorded was {}", covers));
    }
    const std::vector<Interval> found = ByTheClock(range, recorded);
    const bool turned = range.from.kind == range.to.kind && range.to.ns <= range.from.ns;
    if (turned && DayOf(recorded.start_ns) == DayOf(recorded.end_ns)) {
      return params.Wrong(
          "between", fmt::format("{} ends before it begins", QuotedWord(params.Text("between"))));
    }
    if (found.empty()) return outside();
    if (found.size() > 1) {
      return params.Wrong("between",
                          fmt::format("{} was on several days: name one, as in "
                                      "2026-11-15T14:03..2026-11-15T14:04; recorded was {}",
                                      QuotedWord(params.Text("between")), covers));
    }
    asked = found[0];
  } else {
    const auto at = [&](const TimePoint& point, int64_t open) {
      if (point.kind == Kind::kOpen) return open;
      return point.kind == Kind::kSinceStart ? Plus(recorded.start_ns, point.ns) : point.ns;
    };
    asked = {at(range.from, recorded.start_ns), at(range.to, recorded.end_ns)};
  }
  if (asked.start_ns >= recorded.end_ns || asked.end_ns <= recorded.start_ns) return outside();
  return asked;
}

}  // namespace

ParamSpec BetweenParam() {
  return {.name = "between",
          .type = ParamType::kText,
          .value = "FROM..TO",
          .help =
              "functions: only this time: 14:03..14:04 or whole moments in UTC, or 60s..2min "
              "since the start; of samples and traces",
          .default_text = "all"};
}

Result<TimeRange> ParseTimeRange(std::string_view text) {
  const auto wrong = [&] {
    return Fail(ErrorCode::kUsage, fmt::format("{}, not {}", kTakes, QuotedWord(text)));
  };
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return wrong();
  const std::optional<TimePoint> from = ParsePoint(text.substr(0, dots));
  const std::optional<TimePoint> to = ParsePoint(text.substr(dots + 2));
  if (!from || !to || (from->kind == Kind::kOpen && to->kind == Kind::kOpen)) return wrong();
  const bool closed = from->kind != Kind::kOpen && to->kind != Kind::kOpen;
  if (closed && from->kind != to->kind) {
    return Fail(ErrorCode::kUsage,
                fmt::format("takes both ends in one way, not {}", QuotedWord(text)));
  }
  // Times of day may be on both sides of midnight: that is seen when the recording is known.
  if (closed && from->kind != Kind::kClock && to->ns <= from->ns) {
    return Fail(ErrorCode::kUsage, fmt::format("{} ends before it begins", QuotedWord(text)));
  }
  return TimeRange{*from, *to};
}

std::string TimeCut::from_text() const {
  if (!start_ns) return {};
  std::string text = Millisecond(Plus(*start_ns, covered.start_ns)) + "Z";
  std::ranges::replace(text, ' ', 'T');
  return text;
}

std::string TimeCut::to_text() const {
  if (!start_ns) return {};
  std::string text = Millisecond(Plus(*start_ns, covered.end_ns)) + "Z";
  std::ranges::replace(text, ' ', 'T');
  return text;
}

std::string TimeCut::Phrase(bool unicode) const {
  if (!start_ns) {
    return fmt::format("Between {} and {} since the start",
                       FormatDuration(covered.start_ns, unicode),
                       FormatDuration(covered.end_ns, unicode));
  }
  const int64_t from = Plus(*start_ns, covered.start_ns);
  const int64_t to = Plus(*start_ns, covered.end_ns);
  constexpr size_t kDate = std::string_view("2026-11-15").size();
  // Less than some seconds: parts of them count.
  const bool fine = Minus(to, from) < 10 * kSecond;
  const std::string first = fine ? Millisecond(from) : MomentText(from);
  const std::string last = fine ? Millisecond(to) : MomentText(to);
  if (DayOf(from) != DayOf(to)) return fmt::format("Between {} and {} UTC", first, last);
  return fmt::format("Between {} and {} on {} (UTC)", first.substr(kDate + 1),
                     last.substr(kDate + 1), first.substr(0, kDate));
}

Result<TimeCut> CutBetween(std::span<const FunctionProfile* const> profiles, const TimeRange& range,
                           const ParamValues& params) {
  TimeCut cut;
  struct Timed {
    const FunctionProfile* profile;
    Interval recorded;
  };
  std::vector<Timed> timed;
  for (const FunctionProfile* profile : profiles) {
    const std::optional<Interval> recorded = RecordedTime(*profile);
    recorded ? timed.push_back({profile, *recorded}) : void(++cut.without_times);
  }
  if (timed.empty()) {
    return params.Wrong("between",
                        "needs samples of telltale run, or a trace with Python functions: this "
                        "profile holds what functions took in all, not when they ran");
  }
  // Only what has a date can stand beside others.
  const auto dated = [](const Timed& one) { return one.profile->start_ns != kNoInt; };
  const bool any_dated = std::ranges::any_of(timed, dated);
  if (any_dated) {
    cut.without_times += std::erase_if(timed, [&](const Timed& one) { return !dated(one); });
  }
  Interval recorded = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  const auto zero = [&](const Timed& one) { return any_dated ? one.profile->start_ns : 0; };
  for (const Timed& one : timed) {
    const Interval there = Moved(one.recorded, zero(one));
    recorded.start_ns = std::min(recorded.start_ns, there.start_ns);
    recorded.end_ns = std::max(recorded.end_ns, there.end_ns);
  }
  const Result<Interval> asked = Resolve(range, recorded, any_dated, params);
  if (!asked) return tl::unexpected(asked.error());
  std::optional<Interval> covered;
  for (const Timed& one : timed) {
    std::optional<FunctionCut> part = CutToTime(
        *one.profile, {Minus(asked->start_ns, zero(one)), Minus(asked->end_ns, zero(one))});
    if (!part) continue;
    const Interval since_1970 = Moved(part->covered, zero(one));
    const Interval there = {Minus(since_1970.start_ns, recorded.start_ns),
                            Minus(since_1970.end_ns, recorded.start_ns)};
    covered = covered ? Interval{std::min(covered->start_ns, there.start_ns),
                                 std::max(covered->end_ns, there.end_ns)}
                      : there;
    cut.whole_slots |= !one.profile->slots.empty();
    cut.profiles.push_back(std::move(part->profile));
  }
  if (!covered) {
    return params.Wrong(
        "between", fmt::format("{} has no samples: the recording, {}, has a gap "
                               "there",
                               QuotedWord(params.Text("between")), Covers(recorded, any_dated)));
  }
  cut.covered = *covered;
  if (any_dated) cut.start_ns = recorded.start_ns;
  return cut;
}

}  // namespace telltale
