// SPDX-License-Identifier: Apache-2.0
// What the view `distributed` says in words.
#pragma once

#include <string>

#include "analysis/distributed/distributed.h"
#include "views/profile.h"
#include "views/render/terminal.h"

namespace telltale {

// What was found, in a sentence or two, and what waiting for a rank costs a step.
[[nodiscard]] std::string DistributedSentence(const DistributedReport& report,
                                              const Profile& profile, const OutputStyle& style);
// What was added to a file's times, and how sure that is.
[[nodiscard]] std::string ClockText(const FileAlignment& clock, const OutputStyle& style);
// What the table of stragglers is about.
[[nodiscard]] std::string StragglerRemark(const Stragglers& all);
// What is to know about the match of the ranks, with its heading; nothing: an empty text.
[[nodiscard]] std::string DistributedNotes(const DistributedReport& report,
                                           const OutputStyle& style);

}  // namespace telltale
