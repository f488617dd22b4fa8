// SPDX-License-Identifier: Apache-2.0
// How sentences and tables call things: files, names, numbers of things.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "views/profile.h"
#include "views/render/display.h"
#include "views/render/terminal.h"
#include "views/render/units.h"

namespace telltale {

// Labels of the traces: "rank 3", else the worker's or the file's name.
[[nodiscard]] inline std::vector<std::string> FileLabels(const Profile& profile) {
  std::vector<std::string> labels;
  for (const FileFacts* file : TraceFiles(profile)) labels.push_back(LabelOf(*file));
  return labels;
}

[[nodiscard]] inline std::string NameInSentence(std::string_view name, const OutputStyle& style) {
  return ShortenMiddle(Printable(name, style.unicode), 60, style.unicode);
}

[[nodiscard]] inline std::string Plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", FormatCount(static_cast<int64_t>(count)), noun,
                     count == 1 ? "" : "s");
}

}  // namespace telltale
