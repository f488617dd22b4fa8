// SPDX-License-Identifier: Apache-2.0
#include "runs/fold.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/digits.h"

namespace telltale {

namespace {

std::string_view Above(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

// The one tag that all files of the run have; nothing: there are none, or several.
const SeriesTag* OnlyTag(const HeldRun& run) {
  const SeriesTag* only = nullptr;
  for (const auto& file : run.files) {
    for (const SeriesTag& tag : file->series().tags) {
      if (only != nullptr && (only->tag != tag.tag || only->plugin != tag.plugin)) return nullptr;
      only = &tag;
    }
  }
  return only;
}

// "1790000074.123": what time.time() gave add_hparams for a name.
bool IsTime(std::string_view name) {
  const size_t dot = name.find('.');
  const std::string_view whole = name.substr(0, dot);
  if (whole.size() < 9 || whole.size() > 11) return false;
  return std::ranges::all_of(name, [](char c) { return IsDigit(c) || c == '.'; }) &&
         std::ranges::count(name, '.') <= 1;
}

bool HasHparams(const HeldRun& run) {
  return std::ranges::any_of(run.files, [](const auto& file) {
    return std::ranges::any_of(file->series().tags,
                               [](const SeriesTag& tag) { return tag.plugin == "hparams"; });
  });
}

// What logged hyper-parameters say.
Config HparamsOf(const HeldRun& run) {
  HparamsInfo info;
  for (const auto& file : run.files) {
    for (const SeriesTag& tag : file->series().tags) {
      if (tag.plugin == "hparams") ReadHparams(tag.plugin_content, info);
    }
  }
  return info.config;
}

// What is left of a folder's name behind that of a tag and `end`. Nothing: it begins otherwise.
std::optional<std::string_view> Behind(std::string_view folder, std::string_view tag, char end) {
  if (folder.size() <= tag.size() + 1 || folder[tag.size()] != end) return std::nullopt;
  const auto fits = [end](char named, char logged) {
    if (logged == '/') return named == end;
    // Writers clean tags, and not folders: of "my group" the tag is "my_group".
    return named == logged || (logged == '_' && named != '/');
  };
  const std::string_view begins = folder.substr(0, tag.size());
  if (!std::ranges::equal(begins, tag, fits)) return std::nullopt;
  return folder.substr(tag.size() + 1);
}

// What add_scalars called it: below the run's folder, torch has "<main, slashes replaced>_<key>",
// tensorboardX "<main>/<key>".
std::optional<std::string> NameOfAddScalars(const HeldRun& run, std::string_view below) {
  const SeriesTag* const only = OnlyTag(run);
  if (only == nullptr || only->plugin != "scalars") return std::nullopt;
  for (const char end : {'_', '/'}) {
    if (const auto key = Behind(below, only->tag, end)) return only->tag + "/" + std::string(*key);
  }
  return std::nullopt;
}

}  // namespace

std::vector<FoldedRun> FoldRuns(std::span<const HeldRun* const> runs, bool raw) {
  std::vector<FoldedRun> folded;
  if (raw) {
    for (const HeldRun* const run : runs) {
      if (!run->found.is_owner_only) folded.push_back({run, {}});
    }
    return folded;
  }
  // Paths are unique for runs with event files, which alone are folded.
  std::map<std::string_view, const HeldRun*> by_path;
  for (const HeldRun* const run : runs) by_path.try_emplace(run->found.path, run);
  std::map<const HeldRun*, std::vector<FoldedPart>> parts;
  std::map<const HeldRun*, bool> is_part;
  std::map<const HeldRun*, std::vector<const HeldRun*>> hparams;  // of add_hparams, by run
  for (const HeldRun* const run : runs) {
    const FoundRun& found = run->found;
    if (found.parts.empty() || found.parts[0].reader != FoundPart::Reader::kEvents) {
      if (found.owner.empty()) continue;
    }
    const auto owner = found.owner.empty() ? by_path.end() : by_path.find(found.owner);
    if (owner != by_path.end()) is_part[run] = true;
    std::optional<std::string> own_name;
    for (std::string_view at = Above(found.path); !at.empty(); at = Above(at)) {
      const auto parent = by_path.find(at);
      if (parent == by_path.end() || parent->second->found.parts.empty()) continue;
      const std::string_view below = std::string_view(found.path).substr(at.size() + 1);
      if (std::optional<std::string> tag = NameOfAddScalars(*run, below)) {
        if (owner != by_path.end()) {
          own_name = std::move(tag);
        } else {
          parts[parent->second].push_back({run, std::move(*tag)});
          is_part[run] = true;
        }
      } else if (owner != by_path.end()) {
        break;
      } else if (IsTime(below) && HasHparams(*run)) {
        hparams[parent->second].push_back(run);
      }
      break;
    }
    if (owner != by_path.end()) {
      parts[owner->second].push_back({run, own_name.value_or(std::string())});
    }
  }
  // Trials with different hyper-parameters that one writer logged stay apart.
  for (const auto& [parent, trials] : hparams) {
    const Config first = HparamsOf(*trials.front());
    if (!std::ranges::all_of(trials,
                             [&](const HeldRun* run) { return HparamsOf(*run) == first; })) {
      continue;
    }
    for (const HeldRun* const run : trials) {
      parts[parent].push_back({run, {}});
      is_part[run] = true;
    }
  }
  // A part of a part is one of the whole, too.
  for (const HeldRun* const run : runs) {
    if (is_part.contains(run)) continue;
    FoldedRun whole{run, std::move(parts[run])};
    for (size_t i = 0; i < whole.parts.size(); ++i) {
      const auto inner = parts.find(whole.parts[i].run);
      if (inner == parts.end()) continue;
      whole.parts.insert(whole.parts.end(), inner->second.begin(), inner->second.end());
    }
    folded.push_back(std::move(whole));
  }
  return folded;
}

}  // namespace telltale
