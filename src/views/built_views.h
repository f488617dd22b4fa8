// SPDX-License-Identifier: Apache-2.0
// The views that a request shows, made.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "health/recommendation.h"
#include "views/section.h"

namespace telltale {

struct BuiltView {
  const SectionSpec* spec = nullptr;
  std::unique_ptr<Section> section;
};

// Points into the profile and what it was made of.
struct BuiltViews {
  std::vector<BuiltView> views;  // in the order of Sections()
  // Set where one view was asked for by name; nullptr: an overview, or a whole document.
  const SectionSpec* named = nullptr;
  std::vector<Recommendation> findings;  // what to try, of the one view

  // nullptr if it is not shown.
  [[nodiscard]] const Section* Find(std::string_view name) const {
    for (const BuiltView& view : views) {
      if (view.spec->name == name) return view.section.get();
    }
    return nullptr;
  }
};

}  // namespace telltale
