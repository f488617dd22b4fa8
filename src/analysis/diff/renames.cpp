// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/renames.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace telltale {

namespace {

struct Use {
  int64_t time;
  const std::string* kernel;
};

using Place = std::pair<std::string, std::string>;  // operator and input shapes
using UsesByPlace = std::map<Place, std::vector<Use>>;

// Uses of kernels that `other` does not know, most time first.
UsesByPlace OwnUses(const KernelUses& uses, const SeriesByName& other) {
  UsesByPlace places;
  for (const auto& [key, time] : uses) {
    const auto& [kernel, op, shapes] = key;
    if (!other.contains(kernel)) places[{op, shapes}].push_back({time, &kernel});
  }
  for (auto& [place, list] : places) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Use& a, const Use& b) { return a.time > b.time; });
  }
  return places;
}

}  // namespace

std::vector<Rename> FindRenames(const DiffSide& before, const DiffSide& after) {
  const UsesByPlace gone = OwnUses(before.uses, after.kernels);
  const UsesByPlace fresh = OwnUses(after.uses, before.kernels);
  std::map<std::pair<std::string, std::string>, int64_t> common;
  for (const auto& [place, olds] : gone) {
    const auto at = fresh.find(place);
    if (at == fresh.end()) continue;
    for (size_t i = 0; i < std::min(olds.size(), at->second.size()); ++i) {
      common[{*olds[i].kernel, *at->second[i].kernel}] +=
          std::min(olds[i].time, at->second[i].time);
    }
  }
  struct Candidate {
    int64_t time;
    const std::pair<std::string, std::string>* names;
  };
  std::vector<Candidate> candidates;
  for (const auto& [names, time] : common) candidates.push_back({time, &names});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.time > b.time; });
  std::vector<Rename> renames;
  std::set<std::string_view> taken_before;
  std::set<std::string_view> taken_after;
  for (const Candidate& candidate : candidates) {
    const auto& [old_name, new_name] = *candidate.names;
    if (taken_before.contains(old_name) || taken_after.contains(new_name)) continue;
    taken_before.insert(old_name);
    taken_after.insert(new_name);
    renames.push_back({old_name, new_name});
  }
  return renames;
}

}  // namespace telltale
