// SPDX-License-Identifier: Apache-2.0
// The views of a profile made by hand, for tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "views/build_profile.h"

namespace telltale {

// Lives as long as the views are looked at.
class SampleViews {
 public:
  explicit SampleViews(Profile profile, std::string_view view = "overview",
                       Extent extent = Extent::kOverview,
                       std::optional<std::string> sort_field = std::nullopt) {
    prepared_.base = std::move(profile);
    ProfileRequest request;
    request.view = ViewNamed(view);
    request.overview = request.view == nullptr;
    request.sort_field = std::move(sort_field);
    built_ = BuildViews(prepared_, request, extent);
  }
  [[nodiscard]] const Profile& profile() const { return prepared_.base; }
  [[nodiscard]] const BuiltViews& built() const { return built_; }

 private:
  PreparedProfile prepared_;
  BuiltViews built_;
};

}  // namespace telltale
