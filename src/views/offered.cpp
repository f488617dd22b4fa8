// SPDX-License-Identifier: Apache-2.0
#include "views/offered.h"

#include <algorithm>

namespace telltale {

namespace {

bool HasPart(const ViewNeeds& needs, const ViewInput& input,
             std::span<const std::string_view> captured) {
  if (needs.instead != nullptr && needs.instead(input)) return true;
  if (needs.profile) return true;
  if (input.traces.empty()) return false;
  return needs.part.empty() || std::ranges::find(captured, needs.part) != captured.end();
}

}  // namespace

std::vector<OfferedView> OfferedViews(const ViewInput& input,
                                      std::span<const std::string_view> captured) {
  std::vector<OfferedView> offered;
  for (const ViewSpec& view : Views()) {
    const bool has = HasPart(view.needs, input, captured);
    offered.push_back({view.name, has ? std::string_view() : view.needs.words});
  }
  return offered;
}

}  // namespace telltale
