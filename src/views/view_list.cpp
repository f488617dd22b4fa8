// SPDX-License-Identifier: Apache-2.0
#include "views/view_list.h"

namespace telltale {

std::span<const ViewSpec> Views() {
  static const std::vector<ViewSpec> views = {
#define VIEW(name) Describe##name(),
#include "views/view_list.inc"
#undef VIEW
  };
  return views;
}

const ViewSpec* ViewNamed(std::string_view name) {
  for (const ViewSpec& view : Views()) {
    if (view.name == name) return &view;
  }
  return nullptr;
}

}  // namespace telltale
