// SPDX-License-Identifier: Apache-2.0
// The views that a request shows, made.
#pragma once

#include <string_view>
#include <vector>

#include "health/recommendation.h"
#include "views/view.h"

namespace telltale {

struct BuiltView {
  const ViewSpec* spec = nullptr;
  Document document;
};

// Points into the profile and what it was made of.
struct BuiltViews {
  std::vector<BuiltView> views;  // in the order of Views()
  // Set where one view was asked for by name; nullptr: an overview, or a whole document.
  const ViewSpec* named = nullptr;
  std::vector<Recommendation> findings;  // what to try, of the one view

  // Why what was asked of the one view cannot be answered; empty: it can.
  [[nodiscard]] std::string problem() const {
    const Document* const document = named == nullptr ? nullptr : Find(named->name);
    return document == nullptr ? std::string() : document->problem();
  }
  // nullptr if it is not shown.
  [[nodiscard]] const Document* Find(std::string_view name) const {
    for (const BuiltView& view : views) {
      if (view.spec->name == name) return &view.document;
    }
    return nullptr;
  }
};

}  // namespace telltale
