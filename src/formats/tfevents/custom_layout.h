// SPDX-License-Identifier: Apache-2.0
// A layout of custom charts (layout.proto of the plugin custom_scalars): categories of charts, each
// with patterns of tags, or with tags of a value and its margins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace telltale::tfevents {

constexpr std::string_view kLayoutTag = "custom_scalars__config__";

struct CustomMargin {
  std::string value;
  std::string lower;
  std::string upper;
  bool operator==(const CustomMargin&) const = default;
};

struct CustomChart {
  enum class Kind : uint8_t { kNone, kLines, kMargin };
  std::string title;
  Kind kind = Kind::kNone;
  std::vector<std::string> tags;  // patterns
  std::vector<CustomMargin> margins;
  bool operator==(const CustomChart&) const = default;
};

struct CustomCategory {
  std::string title;
  std::vector<CustomChart> charts;
  bool closed = false;
};

struct CustomLayout {
  int64_t version = 0;
  std::vector<CustomCategory> categories;
};

// What is damaged ends early.
[[nodiscard]] CustomLayout ReadCustomLayout(std::string_view bytes);

}  // namespace telltale::tfevents
