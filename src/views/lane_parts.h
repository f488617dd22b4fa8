// SPDX-License-Identifier: Apache-2.0
// What the views of ranks, devices and streams have in common: labels, paragraphs and cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "views/field_value.h"
#include "views/profile.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/terminal.h"
#include "views/render/units.h"
#include "views/row_range.h"
#include "views/view.h"
#include "views/words.h"

namespace telltale {

template <typename T>
[[nodiscard]] FieldValue OrMissing(const std::optional<T>& value) {
  return value ? FieldValue(*value) : FieldValue();
}

// What a sentence calls a device: "Device 0", where there are several traces "Device 0 of rank 3".
[[nodiscard]] inline std::string DeviceInSentence(int64_t device, uint32_t file,
                                                  const std::vector<std::string>& labels,
                                                  const OutputStyle& style) {
  std::string name = fmt::format("Device {}", device);
  if (labels.size() > 1) name += " of " + Printable(labels[file], style.unicode);
  return name;
}

}  // namespace telltale
