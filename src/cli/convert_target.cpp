// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_target.h"

#include <vector>

#include "formats/registry.h"

namespace telltale {

std::span<const FormatWriter* const> ConvertTargets() {
  static const FormatWriter csv = {.name = "csv",
                                   .help = "spans of a trace, or points of event files",
                                   .endings = {".csv"},
                                   .series = true};
  static const FormatWriter lines = {.name = "jsonl",
                                     .help = "values of event files, one JSON object a line",
                                     .endings = {".jsonl"},
                                     .series = true};
  static const std::vector<const FormatWriter*> targets = [] {
    std::vector<const FormatWriter*> all;
    for (const Format* format : FormatsForPeople()) {
      if (!format->writer.name.empty()) all.push_back(&format->writer);
    }
    all.push_back(&csv);
    all.push_back(&lines);
    return all;
  }();
  return targets;
}

const FormatWriter* TargetNamed(std::string_view name) {
  for (const FormatWriter* target : ConvertTargets()) {
    if (target->name == name) return target;
  }
  return nullptr;
}

const FormatWriter* TargetForName(std::string_view path) {
  const std::string_view name = WithoutCompression(path);
  const FormatWriter* found = nullptr;
  size_t longest = 0;  // .speedscope.json is more than .json
  for (const FormatWriter* target : ConvertTargets()) {
    for (const std::string_view ending : target->endings) {
      if (!name.ends_with(ending) || ending.size() <= longest) continue;
      found = target;
      longest = ending.size();
    }
  }
  return found;
}

}  // namespace telltale
