// SPDX-License-Identifier: Apache-2.0
// What the sentence of a page says of the causes: those that the page is about, in the words of the
// answer. No page judges by itself why a step takes long.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "views/profile.h"
#include "views/render/terminal.h"

namespace telltale {

// A cause of more than this share of a step is all there is: nobody wants to know what is left.
constexpr double kNearlyAll = 0.98;

// "hipFree (1,360 calls, in empty_cache)"
[[nodiscard]] std::string NamedCause(const Profile& profile, const Cause& cause);

// The first of these kinds, or of all where none is given, whose saving is known; nullptr where
// none is worth 2 % of a step.
[[nodiscard]] const Cause* FirstCauseOf(const Profile& profile,
                                        std::initializer_list<CauseKind> kinds);
[[nodiscard]] const Cause* FirstCauseIf(const Profile& profile,
                                        const std::function<bool(const Cause&)>& about);
// Time of the path of which nobody can say whether it could be gone, from a fifth of a step on.
[[nodiscard]] const Cause* UnknownTime(const Profile& profile);

// " Without hipFree (1,360 calls) a step would take 0.40 s instead of 3.39 s.", " Nearly all of a
// step is hipFree."; empty: no cause.
[[nodiscard]] std::string CauseSentence(const Profile& profile, const Cause* cause,
                                        const OutputStyle& style);
[[nodiscard]] std::string CauseSentence(const Profile& profile,
                                        std::initializer_list<CauseKind> kinds,
                                        const OutputStyle& style);

// "memory bandwidth bounds 61 % of their time, at 48 % of its roof": of the kernels.
[[nodiscard]] std::string BoundWords(const WorkBound& bound);

}  // namespace telltale
