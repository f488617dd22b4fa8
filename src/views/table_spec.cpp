// SPDX-License-Identifier: Apache-2.0
#include "views/table_spec.h"

#include <array>

namespace telltale {

std::string_view NameOf(Quantity quantity) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "text",     "name",   "prose", "id",    "file", "flag",  "json", "count", "number",
      "duration", "moment", "bytes", "share", "rate", "flops", "part", "bar"};
  return kNames[static_cast<size_t>(quantity)];
}

std::string_view NameOf(Naming naming) {
  static constexpr std::array<std::string_view, 4> kNames = {"", "operator", "kernel", "event"};
  return kNames[static_cast<size_t>(naming)];
}

std::string_view NameOf(Presence presence) {
  static constexpr std::array<std::string_view, 5> kNames = {"always", "value", "known", "nonzero",
                                                             "files"};
  return kNames[static_cast<size_t>(presence)];
}

}  // namespace telltale
