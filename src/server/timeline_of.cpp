// SPDX-License-Identifier: Apache-2.0
#include "server/timeline_of.h"

namespace telltale {

std::shared_ptr<const TimelineIndex> TimelineOf(const OpenProfile& profile) {
  return profile.Derived<TimelineIndex>([](const OpenProfile& open) {
    return std::make_shared<const TimelineIndex>(open.contexts());
  });
}

}  // namespace telltale
