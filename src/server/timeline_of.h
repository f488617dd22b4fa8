// SPDX-License-Identifier: Apache-2.0
// The timeline of an open profile, made when it is first asked for and kept with it.
#pragma once

#include <memory>

#include "analysis/timeline/index.h"
#include "server/open_profile.h"

namespace telltale {

// Of a profile without traces it is empty.
[[nodiscard]] std::shared_ptr<const TimelineIndex> TimelineOf(const OpenProfile& profile);

}  // namespace telltale
