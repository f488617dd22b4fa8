// SPDX-License-Identifier: Apache-2.0
#include "views/page_causes.h"

#include <algorithm>

#include <fmt/format.h>

#include "health/cause_words.h"
#include "views/render/display.h"
#include "views/render/units.h"
#include "views/words.h"

namespace telltale {

namespace {

// No word on what is less, as for advice.
constexpr double kWorthSaying = 0.02;
// As in the answer.
constexpr double kUnknown = 0.20;

std::string_view UnitOf(PathRegionKind kind) {
  return kind == PathRegionKind::kStep ? "a step" : "the trace";
}

}  // namespace

std::string NamedCause(const Profile& profile, const Cause& cause) {
  const std::string phrase = health::PhraseOf(cause, FileLabels(profile));
  const std::string detail = health::DetailOf(cause, profile.causes);
  return detail.empty() ? phrase : fmt::format("{} ({})", phrase, detail);
}

const Cause* FirstCauseIf(const Profile& profile, const std::function<bool(const Cause&)>& about) {
  for (const Cause& cause : profile.causes.causes) {
    if (!cause.saving_ns || cause.share < kWorthSaying) return nullptr;
    if (about(cause)) return &cause;
  }
  return nullptr;
}

const Cause* FirstCauseOf(const Profile& profile, std::initializer_list<CauseKind> kinds) {
  return FirstCauseIf(profile, [&](const Cause& cause) {
    return kinds.size() == 0 || std::ranges::find(kinds, cause.kind) != kinds.end();
  });
}

const Cause* UnknownTime(const Profile& profile) {
  const auto found = std::ranges::find_if(profile.causes.causes, [](const Cause& cause) {
    return !cause.saving_ns && cause.share >= kUnknown;
  });
  return found == profile.causes.causes.end() ? nullptr : &*found;
}

std::string CauseSentence(const Profile& profile, const Cause* cause, const OutputStyle& style) {
  if (cause == nullptr) return "";
  const int64_t now_ns = profile.causes.average_ns;
  if (cause->share > kNearlyAll) {
    return Printable(fmt::format(" Nearly all of {} is {}.", UnitOf(profile.causes.kind),
                                 NamedCause(profile, *cause)),
                     style.unicode);
  }
  return Printable(
      fmt::format(" Without {} {} would take {} instead of {}.", NamedCause(profile, *cause),
                  UnitOf(profile.causes.kind),
                  FormatDuration(std::max<int64_t>(0, now_ns - *cause->saving_ns), style.unicode),
                  FormatDuration(now_ns, style.unicode)),
      style.unicode);
}

std::string CauseSentence(const Profile& profile, std::initializer_list<CauseKind> kinds,
                          const OutputStyle& style) {
  return CauseSentence(profile, FirstCauseOf(profile, kinds), style);
}

std::string BoundWords(const WorkBound& bound) {
  return fmt::format("{} bounds {} of their time, at {} of its roof",
                     bound.bound == RooflineBound::kMemory ? "memory bandwidth" : "arithmetic",
                     FormatShare(bound.share, 0), FormatShare(bound.roof_share, 0));
}

}  // namespace telltale
