// SPDX-License-Identifier: Apache-2.0
// `telltale profile` for people: the answer first, then the picture, the tables, what to try, and
// what is to know about the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "views/events.h"
#include "views/profile.h"
#include "views/render/document.h"
#include "views/render/terminal.h"
#include "views/sorting.h"

namespace telltale {

struct TextRequest {
  View view = View::kOverview;
  std::optional<int64_t> limit = std::nullopt;           // <= 0: all; none: what suits the view
  std::optional<std::string> sort_field = std::nullopt;  // as already applied, for the headings
};

[[nodiscard]] std::string ProfileText(const Profile& profile, const TextRequest& request,
                                      const OutputStyle& style);

// View::kEvents: the longest events first, unless sorted otherwise.
[[nodiscard]] std::string EventsText(const EventSource& events, const TextRequest& request,
                                     const OutputStyle& style);

// What every view owes its reader, as a paragraph of its own: that something is to know about the
// data behind it. Empty if there is nothing.
[[nodiscard]] std::string DataNote(const Profile& profile, const OutputStyle& style);

}  // namespace telltale
