// SPDX-License-Identifier: Apache-2.0
#include "server/path_inside.h"

#include <algorithm>

#include <fmt/format.h>

namespace telltale {

std::optional<std::string> PathInside(std::string_view folder, std::string_view named) {
  if (named.empty() || named.find('\0') != std::string_view::npos) return std::nullopt;
  if (named.starts_with('/')) {
    if (!named.starts_with(folder) || named.size() <= folder.size() ||
        named[folder.size()] != '/') {
      return std::nullopt;
    }
    named.remove_prefix(folder.size() + 1);
  }
  for (std::string_view rest = named; !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    if (rest.substr(0, end) == "..") return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return fmt::format("{}/{}", folder, named);
}

}  // namespace telltale
