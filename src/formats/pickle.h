// SPDX-License-Identifier: Apache-2.0
// Files that are never read, because reading them would run what they say.
#pragma once

#include <string_view>

namespace telltale {

// A file of torch.save: a zip archive with a pickle in it.
[[nodiscard]] inline bool IsZippedPickle(std::string_view head) {
  return head.starts_with("PK\3\4") && head.find("data.pkl") != std::string_view::npos;
}
// From protocol 2 on a pickle begins with a byte that says so.
[[nodiscard]] inline bool IsPickle(std::string_view head) {
  return (head.size() > 1 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) ||
         IsZippedPickle(head);
}

}  // namespace telltale
