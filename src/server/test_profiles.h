// SPDX-License-Identifier: Apache-2.0
// Profiles of a server for tests: every look and every load is a call, nothing waits.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs/catalogue.h"
#include "server/residency.h"

namespace telltale {

struct TestProfiles {
  TestProfiles(CatalogueOptions listed, ResidencyOptions held)
      : catalogue(std::move(listed)), residency(catalogue, std::move(held)) {}

  void Look() {
    catalogue.Scan();
    residency.Trim();
  }
  [[nodiscard]] std::vector<ProfileStatus> List() const {
    std::vector<ProfileStatus> list;
    for (const CatalogueEntry& entry : catalogue.Page(0, SIZE_MAX).entries) {
      list.push_back(residency.StatusOf(entry));
    }
    return list;
  }
  // "name state" of all.
  [[nodiscard]] std::vector<std::string> Shown() const {
    std::vector<std::string> shown;
    for (const ProfileStatus& status : List()) {
      shown.push_back(status.name.substr(status.name.find('/') + 1) + " " +
                      std::string(NameOf(status.state)) + (status.growing ? " growing" : ""));
    }
    return shown;
  }
  [[nodiscard]] std::string IdOf(std::string_view name) const {
    for (const ProfileStatus& status : List()) {
      if (status.name.ends_with(name)) return status.id;
    }
    ADD_FAILURE() << "no profile " << name;
    return "";
  }
  [[nodiscard]] Residency::Answer Get(std::string_view name) { return residency.Get(IdOf(name)); }
  // Null: it could not be read.
  std::shared_ptr<const OpenProfile> Load(std::string_view name) {
    static_cast<void>(Get(name));
    while (residency.LoadNext()) {
    }
    return Get(name).profile;
  }

  Catalogue catalogue;
  Residency residency;
};

}  // namespace telltale
